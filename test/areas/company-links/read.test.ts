import { expect, it } from 'vitest'
import { describeApi } from '../../setup/api.ts'
import { addLinks } from '../../setup/companies.ts'
import { type Caller, world } from '../../setup/world.ts'
import { linkedMsp, list } from './links.ts'

describeApi('a company link', (api) => {
  const read = (caller: Caller, external_id: string, headers?: Record<string, string>) =>
    api.call(caller, 'company_link', { system: 'HUDU', external_id }, headers)
  const map = (caller: Caller, psa_company_id: string | null, headers?: Record<string, string>) =>
    api.call(
      caller,
      'map_company_link',
      { input: { system: 'HUDU', external_id: '1', psa_company_id } },
      headers,
    )

  it('is read alone as it is listed, by every role', async () => {
    const msp = await linkedMsp()
    const { links } = (await list(api, msp.key)).data
    for (const caller of [msp.owner, msp.admin, msp.user, msp.viewer, msp.key]) {
      for (const link of links) {
        const { status, data } = await read(caller, link.external_id)
        expect([status, data]).toEqual([200, link])
      }
    }
  })

  it.each(['none', '', 'a\u0000', 'x'.repeat(500)])('with the id %j is not there', async (external_id) => {
    if (external_id === '' && api.name === 'rest') return
    const msp = await linkedMsp()
    const { status, error } = await read(msp.admin, external_id)
    expect([status, error?.code]).toEqual([404, 'company_link_not_found'])
  })

  it('is of one system, one tenant and one environment', async () => {
    const msp = await linkedMsp()
    const other = await world()
    await addLinks({ ...other, environment: 'elsewhere' }, [{ external_id: '1' }])
    const answers = [
      await read(other.owner, '1'),
      await api.call(msp.owner, 'company_link', { system: 'PAX8', external_id: '1' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404])
    const unknown = await api.call(msp.owner, 'company_link', { system: 'NOBODY', external_id: '1' })
    expect([unknown.status, unknown.error?.details.field_errors]).toMatchObject([
      422,
      [{ field: 'system', code: 'enum' }],
    ])
  })

  it('is read with the scope alone', async () => {
    const msp = await linkedMsp()
    const refused = await read(await msp.newKey({ scopes: ['settings:read'] }), '1')
    const allowed = await read(await msp.newKey({ scopes: ['end_companies:read'] }), '1')
    expect([refused.status, allowed.status]).toEqual([403, 200])
  })

  it('is read by its id though it is a folder that nobody confirmed', async () => {
    const msp = await world()
    await addLinks(msp, [{ external_id: 'h', system: 'SHAREPOINT' }])
    const { data } = await api.call(msp.viewer, 'company_link', { system: 'SHAREPOINT', external_id: 'h' })
    expect([data.external_id, data.revision]).toEqual(['h', 1])
  })

  it('has the tag that its last change answered with', async () => {
    const msp = await linkedMsp()
    const { etag } = await read(msp.viewer, '1')
    expect(etag).toMatch(/^"1\.[\w-]+"$/)
    const mapped = await map(msp.admin, 'psa_b', { 'if-match': etag ?? '' })
    expect(mapped.etag).toMatch(/^"2\.[\w-]+"$/)
    expect((await read(msp.viewer, '1')).etag).toBe(mapped.etag)
  })

  it('keeps its revision through a sync, and gets another tag', async () => {
    const msp = await linkedMsp()
    const before = await read(msp.viewer, '1')
    await msp.database.prisma.companyLink.updateMany({
      where: { tenant_id: msp.tenant_id, external_id: '1' },
      data: { external_name: 'Renamed by a sync' },
    })
    const after = await read(msp.viewer, '1')
    expect([after.data.revision, after.etag === before.etag]).toEqual([1, false])
    const mapped = await map(msp.admin, 'psa_b', { 'if-match': before.etag ?? '' })
    expect([mapped.status, mapped.data.revision]).toEqual([200, 2])
  })
})
