import { expect, it } from 'vitest'
import { type Answer, type Arguments, describeApi } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addLinks } from '../../setup/companies.ts'
import type { Caller } from '../../setup/world.ts'
import { linkedMsp, list, onPostgresql, type Row } from './links.ts'

describeApi('mapping a company link', (api) => {
  const map = (caller: Caller, input: Arguments, headers?: Record<string, string>) =>
    api.call(caller, 'map_company_link', { input: { system: 'HUDU', ...input } }, headers)

  it('as the primary one takes that from the others of the same system and company', async () => {
    const msp = await linkedMsp()
    await addLinks(msp, [{ external_id: 'p', system: 'PAX8', psa_company_id: 'psa_a', is_primary: true }])
    await map(msp.admin, { external_id: '3', psa_company_id: 'psa_b', is_primary: true })
    await map(msp.admin, { external_id: '1', psa_company_id: 'psa_a', is_primary: true })
    const second = await map(msp.admin, { external_id: '2', psa_company_id: 'psa_a', is_primary: true })
    expect(second.data.is_primary).toBe(true)
    const primary = ({ data }: Answer) =>
      data.links
        .filter((link: { is_primary: boolean }) => link.is_primary)
        .map((link: Row) => link.external_id)
    expect(primary(await list(api, msp.key))).toEqual(['2', '3'])
    expect(primary(await list(api, msp.key, { system: 'PAX8' }))).toEqual(['p'])
  })

  it('keeps the primary flag for the same company and drops it for another', async () => {
    const msp = await linkedMsp()
    await map(msp.admin, { external_id: '1', psa_company_id: 'psa_a', is_primary: true })
    const again = await map(msp.admin, { external_id: '1', psa_company_id: 'psa_a' })
    const moved = await map(msp.admin, { external_id: '1', psa_company_id: 'psa_b' })
    expect([again.data.is_primary, moved.data.is_primary]).toEqual([true, false])
  })

  it.runIf(onPostgresql)('leaves one primary link when two are made primary at once', async () => {
    const msp = await linkedMsp()
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(
        ['1', '2', '5'].map((external_id) =>
          map(msp.admin, { external_id, psa_company_id: 'psa_a', is_primary: true }),
        ),
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      const { data } = await list(api, msp.key, { psa_company_id: 'psa_a' })
      expect(data.links.filter((link: { is_primary: boolean }) => link.is_primary)).toHaveLength(1)
    }
  })

  it('that changes the flag alone keeps who mapped and when', async () => {
    const msp = await linkedMsp()
    const first = await map(msp.admin, { external_id: '5', psa_company_id: 'psa_a' })
    clock.advance(1000)
    const input = { external_id: '5', psa_company_id: 'psa_a', is_primary: true }
    const { data } = await map(msp.owner, input)
    expect(data).toEqual({ ...first.data, is_primary: true, revision: 3 })
  })

  it('raises the revision of the link that loses the flag too, and of no other', async () => {
    const msp = await linkedMsp()
    await map(msp.admin, { external_id: '1', psa_company_id: 'psa_a', is_primary: true })
    await map(msp.admin, { external_id: '2', psa_company_id: 'psa_a', is_primary: true })
    const { data } = await list(api, msp.viewer)
    const revisions = data.links.map((link: Row & { revision: number }) => [link.external_id, link.revision])
    expect(Object.fromEntries(revisions)).toEqual({ 1: 3, 2: 2, 3: 1, 4: 1, 5: 1 })
  })

  it('takes the flag from another link though it has it itself already', async () => {
    const msp = await linkedMsp()
    const input = { external_id: '1', psa_company_id: 'psa_a', is_primary: true }
    const { data } = await map(msp.admin, input)
    const where = { tenant_id: msp.tenant_id, external_id: '2' }
    await msp.database.prisma.companyLink.updateMany({ where, data: { is_primary: true } })
    const again = await map(msp.admin, input)
    expect(again.data).toEqual(data)
    const other = await msp.database.prisma.companyLink.findFirst({ where })
    expect([other?.is_primary, other?.revision]).toEqual([false, 2])
  })
})
