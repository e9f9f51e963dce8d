/** The events of end companies. */
import { beforeAll, expect, it } from 'vitest'
import { refreshCompanies } from '../../../src/areas/end-companies/refresh.ts'
import { inTransaction } from '../../../src/db/transaction.ts'
import { serviceContext } from '../../../src/jobs/service-context.ts'
import { type Api, apis } from '../../setup/api.ts'
import { testApp } from '../../setup/app.ts'
import { times } from '../../setup/at-once.ts'
import { addCompanies } from '../../setup/companies.ts'
import { withPsa } from '../../setup/due.ts'
import { raised } from '../../setup/raised.ts'
import { countStatements } from '../../setup/statements.ts'
import { directoryCompany, showConnected, syncCompanies } from '../../setup/syncs.ts'
import { type Msp, world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { happen } from '../callbacks/events.ts'
import { companies, type, using } from '../company-filters/companies.ts'

beforeAll(installQueues)

const [api] = apis as [Api]

const sync = (msp: Msp, rows: Parameters<typeof syncCompanies>[2]) =>
  syncCompanies(msp, (operation, args) => api.call(msp.admin, operation, args), rows)

/** The names of the companies that were updated, with the fields that changed. */
const updated = async (msp: Msp) =>
  (await raised(msp, 'end_company.updated')).map(({ data }) => [data.psa_company_id, data.changed_fields])

it('a sync raises those of companies that are new, renamed, or gone, and of no others', async () => {
  const msp = await world()
  await showConnected(msp, 'connectwise-psa')
  await addCompanies(msp, [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'off', status: 'INACTIVE' }])
  const b = directoryCompany('psa_b', { name: 'Company b' })
  const rows = [directoryCompany('psa_a', { name: 'Alpha', is_active: false }), b, directoryCompany('new')]
  await sync(msp, rows)
  const expected = [
    ['psa_a', ['name', 'status']],
    ['psa_c', ['status']],
  ]
  expect(await updated(msp)).toEqual(expected)
  expect(await raised(msp, 'end_company.created')).toMatchObject([
    { data: { psa_company_id: 'new', status: 'ACTIVE', in_scope: true, changed_fields: [] } },
  ])
  await sync(msp, rows)
  expect(await updated(msp)).toEqual(expected)
  expect(await raised(msp, 'end_company.created')).toHaveLength(1)
})

it('a page of a sync takes one statement, and twice at once each company is new once', async () => {
  const msp = await world()
  const { services } = (await testApp()).app
  const { tenant_id, environment, database } = msp
  const rows = Array.from({ length: 50 }, (_, n) => directoryCompany(`c${n}`))
  const refresh = () => {
    const ctx = serviceContext(services, 'test', 'req_test', { tenant_id, environment })
    return inTransaction(ctx, 60_000, () => refreshCompanies(ctx, rows, () => true))
  }
  await times(refresh, 3)
  expect(await raised(msp, 'end_company.created')).toHaveLength(50)
  const renamed = rows.map((row) => ({ ...row, name: `New ${row.name}` }))
  rows.splice(0, rows.length, ...renamed)
  expect(await countStatements(database, refresh)).toBeLessThanOrEqual(3)
  expect(await updated(msp)).toHaveLength(50)
})

it('an event of the PSA raises that of a company that it renamed, once', async () => {
  const msp = await world()
  await addCompanies(msp, [{ id: 'a' }])
  const company = { psa_company_id: 'psa_a', name: 'Alpha', is_active: true, attributes: {} }
  const services = await withPsa(() => ({ company: async () => company }))
  const event = { entity_type: 'COMPANY', entity_id: 'psa_a' } as const
  await happen(
    msp,
    [
      { ...event, event_id: 'e1' },
      { ...event, event_id: 'e2' },
    ],
    services,
  )
  expect(await updated(msp)).toEqual([['psa_a', ['name']]])
})

it('company filters raise those of companies that come into scope, and that are taken out of it', async () => {
  const msp = await companies('cd')
  const { replace, remove } = using(api, msp)
  await replace([type(1)])
  await replace([type(1)])
  const [changed, ...others] = await raised(msp, 'company_filters.changed')
  expect(others).toEqual([])
  expect(changed?.data).toEqual({ field_names: ['type'], added_count: 2, removable_count: 2 })
  expect(await updated(msp)).toEqual([
    ['psa_a', ['in_scope']],
    ['psa_b', ['in_scope']],
  ])
  await remove({ expected_count: 2 })
  const out = (await raised(msp, 'end_company.updated')).slice(2)
  expect(out.map(({ data }) => [data.psa_company_id, data.in_scope])).toEqual([
    ['psa_c', false],
    ['psa_d', false],
  ])
})
