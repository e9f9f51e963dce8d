import { expect, it, test } from 'vitest'
import { CHANGE_TYPE_CATALOG, CHANGE_TYPES } from '../../../src/areas/change-types/catalogue.ts'
import { REGISTRY } from '../../../src/areas/integrations/registry.ts'
import { describeApi } from '../../setup/api.ts'
import { countStatements } from '../../setup/statements.ts'
import { type Msp, world } from '../../setup/world.ts'

interface Option {
  code: string
  supported: boolean
}

const work = (msp: Msp, psa_type: string | null) =>
  msp.database.prisma.tenant.update({ where: { id: msp.tenant_id }, data: { psa_type } })

test('the systems that do not report a change are PSA systems', () => {
  const psa = REGISTRY.flatMap(({ category, system }) => (category === 'PSA' ? [system as string] : []))
  const named = Object.values(CHANGE_TYPE_CATALOG).flatMap(({ not_of = [] }) =>
    not_of === 'ALL' ? [] : not_of,
  )
  expect(named.length).toBeGreaterThan(3)
  expect(named.filter((system) => !psa.includes(system))).toEqual([])
})

describeApi('the change options of callbacks', (api) => {
  const read = (msp: Msp) => api.call(msp.viewer, 'callback_change_options')
  const unsupported = ({ options }: { options: Option[] }) =>
    options.filter(({ supported }) => !supported).map(({ code }) => code)

  it('are every change of the catalogue, with what each is', async () => {
    const msp = await world()
    await work(msp, 'HALO_PSA')
    const { status, data } = await read(msp)
    expect([status, data.psa_type, data.options.map(({ code }: Option) => code)]).toEqual([
      200,
      'HALO_PSA',
      CHANGE_TYPES,
    ])
    expect(data.options).toContainEqual({
      code: 'TICKET_CUSTOMER_REPLIED',
      label: 'Customer replied',
      description: 'The customer replied on a ticket.',
      entity_type: 'TICKET',
      supported: true,
      group: 'CONVERSATION',
    })
    expect(data.options.at(-1)).toMatchObject({ code: 'TIME_ENTRY_DELETED', entity_type: 'TIME_ENTRY' })
  })

  it('say which of them the tenant’s PSA reports', async () => {
    const msp = await world()
    expect((await read(msp)).data).toMatchObject({ psa_type: null })
    expect(unsupported((await read(msp)).data)).toEqual(CHANGE_TYPES)
    await work(msp, 'KASEYA_BMS')
    expect(unsupported((await read(msp)).data)).toEqual([
      'TICKET_DUE_DATE_CHANGED',
      'TICKET_ATTACHMENT_ADDED',
    ])
    await work(msp, 'CONNECTWISE_PSA')
    expect(unsupported((await read(msp)).data)).toEqual(['TICKET_DUE_DATE_CHANGED'])
  })

  it('cost one statement beside the credential', async () => {
    const msp = await world()
    await read(msp)
    expect(await countStatements(msp.database, () => read(msp))).toBe(2)
  })
})
