import { expect, it } from 'vitest'
import { type Arguments, describeApi } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { addCompanies, addLinks } from '../../setup/companies.ts'
import { countStatements } from '../../setup/statements.ts'
import { type Caller, world } from '../../setup/world.ts'
import { ids, linkedMsp, list, onPostgresql } from './links.ts'

describeApi('mapping a company link', (api) => {
  const map = (caller: Caller, input: Arguments, headers?: Record<string, string>) =>
    api.call(caller, 'map_company_link', { input: { system: 'HUDU', ...input } }, headers)

  it('makes it MANUAL, in the name of the caller', async () => {
    const msp = await linkedMsp()
    const before = clock.now()
    const { status, data } = await map(msp.admin, { external_id: '5', psa_company_id: 'psa_b' })
    expect([status, data]).toEqual([
      200,
      {
        system: 'HUDU',
        external_id: '5',
        external_name: 'Gamma',
        psa_company_id: 'psa_b',
        psa_company_name: 'Company b',
        link_state: 'MANUAL',
        match_method: 'MANUAL',
        confidence: 1,
        is_primary: false,
        mapped_by: 'Admin',
        mapped_at: expect.any(String),
        revision: 2,
        needs_review: false,
      },
    ])
    expect(new Date(data.mapped_at).getTime()).toBeGreaterThanOrEqual(before.getTime())
    const { data: listed } = await list(api, msp.admin, { status: 'manual', search: 'gamma' })
    expect(listed.links).toEqual([data])
  })

  it('names the key, and with it its acting user', async () => {
    const msp = await linkedMsp()
    const acting = await msp.newKey({ acting_user_id: msp.owner.id })
    const byKey = await map(msp.key, { external_id: '5', psa_company_id: 'psa_b' })
    const byUser = await map(acting, { external_id: '5', psa_company_id: 'psa_a' })
    expect([byKey.data.mapped_by, byUser.data.mapped_by]).toEqual([
      msp.key.id,
      `Owner (API key ${acting.id})`,
    ])
  })

  it('to null clears everything the mapping set', async () => {
    const msp = await linkedMsp()
    await map(msp.admin, { external_id: '5', psa_company_id: 'psa_b', is_primary: true })
    const { data } = await map(msp.admin, { external_id: '5', psa_company_id: null, is_primary: true })
    expect(data).toMatchObject({
      psa_company_id: null,
      psa_company_name: null,
      link_state: 'UNMAPPED',
      match_method: 'UNMATCHED',
      confidence: 0,
      is_primary: false,
      mapped_by: null,
      mapped_at: null,
    })
    expect((await list(api, msp.admin)).data.counts.unmapped).toBe(1)
  })

  it.each([
    [{ external_id: '5' }, 'psa_company_id', 'required'],
    [{ psa_company_id: 'psa_a' }, 'external_id', 'required'],
    [{ external_id: null, psa_company_id: 'psa_a' }, 'external_id', 'null'],
    [{ external_id: 5, psa_company_id: 'psa_a' }, 'external_id', 'type'],
    [{ external_id: '5', psa_company_id: 7 }, 'psa_company_id', 'type'],
    [{ external_id: '5', psa_company_id: 'psa_a', is_primary: null }, 'is_primary', 'null'],
    [{ external_id: '5', psa_company_id: 'psa_a', is_primary: 'yes' }, 'is_primary', 'type'],
    [{ external_id: '5', psa_company_id: 'psa_a', system: 'NOBODY' }, 'system', 'enum'],
    [{ external_id: '5', psa_company_id: 'psa_a', system: undefined }, 'system', 'required'],
  ])('refuses %j with 422', async (input, field, code) => {
    const msp = await linkedMsp()
    const { status, error } = await map(msp.admin, input)
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors).toMatchObject([{ field, location: 'body', code }])
  })

  it.each([
    [{ external_id: 'none', psa_company_id: 'psa_a' }, 'company_link_not_found'],
    [{ external_id: 'none', psa_company_id: null }, 'company_link_not_found'],
    [{ external_id: 'none', psa_company_id: 'psa_none' }, 'company_link_not_found'],
    [{ external_id: '5', psa_company_id: 'psa_a', system: 'PAX8' }, 'company_link_not_found'],
    [{ external_id: '5', psa_company_id: 'psa_none' }, 'psa_company_not_found'],
    [{ external_id: '5', psa_company_id: '' }, 'psa_company_not_found'],
  ])('answers %j with 404 %s', async (input, code) => {
    const msp = await linkedMsp()
    const { status, error } = await map(msp.admin, input)
    expect([status, error?.code]).toEqual([404, code])
    expect((await list(api, msp.admin, { status: 'unmapped' })).data.links).toHaveLength(1)
  })

  it('reaches neither links nor companies of another tenant', async () => {
    const msp = await linkedMsp()
    const other = await world()
    await addCompanies(other, [{ id: 'theirs' }])
    await addLinks(other, [{ external_id: 'theirs' }])
    const link = await map(msp.admin, { external_id: 'theirs', psa_company_id: 'psa_a' })
    const company = await map(msp.admin, { external_id: '5', psa_company_id: 'psa_theirs' })
    expect([link.error?.code, company.error?.code]).toEqual([
      'company_link_not_found',
      'psa_company_not_found',
    ])
    expect([link.error?.details.id, company.error?.details.id]).toEqual(['theirs', 'psa_theirs'])
  })

  it('lists a folder that nobody had confirmed; clearing it does not', async () => {
    const msp = await linkedMsp()
    const system = 'SHAREPOINT'
    await addLinks(msp, [
      { external_id: 'h1', system, psa_company_id: 'psa_a' },
      { external_id: 'h2', system },
    ])
    await map(msp.admin, { system, external_id: 'h1', psa_company_id: null })
    await map(msp.admin, { system, external_id: 'h2', psa_company_id: 'psa_a' })
    expect(ids(await list(api, msp.key, { system }))).toEqual(['h2'])
  })

  it('keeps a folder listed that was confirmed, when it is cleared', async () => {
    const msp = await linkedMsp()
    const system = 'SHAREPOINT'
    await addLinks(msp, [{ external_id: 'h', system }])
    await map(msp.admin, { system, external_id: 'h', psa_company_id: 'psa_a' })
    await map(msp.admin, { system, external_id: 'h', psa_company_id: null })
    const { data } = await list(api, msp.key, { system })
    expect(data.counts).toEqual({ total: 1, mapped: 0, unmapped: 1 })
  })

  it('refuses an outdated If-Match and accepts the current one, also within one millisecond', async () => {
    const msp = await linkedMsp()
    clock.freeze()
    const to = (psa_company_id: string | null) => ({ external_id: '5', psa_company_id })
    const { etag } = await map(msp.admin, to('psa_a'))
    const changed = await map(msp.admin, to('psa_b'), { 'if-match': etag ?? '' })
    const late = await map(msp.admin, to(null), { 'if-match': etag ?? '' })
    expect([changed.status, late.status, late.error?.code]).toEqual([200, 409, 'version_conflict'])
    expect(late.error?.details.current_etag).toBe(changed.etag)
    expect((await list(api, msp.admin, { status: 'unmapped' })).data.links).toEqual([])
  })

  it('takes the revision of a row of a list for If-Match', async () => {
    const msp = await linkedMsp()
    const input = { external_id: '5', psa_company_id: 'psa_a' }
    const [row] = (await list(api, msp.admin, { status: 'unmapped' })).data.links
    const first = await map(msp.admin, input, { 'if-match': `"${row.revision}"` })
    const late = await map(
      msp.admin,
      { ...input, psa_company_id: 'psa_b' },
      { 'if-match': `"${row.revision}"` },
    )
    expect([row.revision, first.data.revision, late.status]).toEqual([1, 2, 409])
  })

  it('leaves what a person mapped there before as it is but for its name, and records nothing', async () => {
    const msp = await linkedMsp()
    const input = { external_id: '5', psa_company_id: 'psa_a', is_primary: true }
    const first = await map(msp.admin, input)
    await msp.database.prisma.endCompany.updateMany({
      where: { tenant_id: msp.tenant_id },
      data: { name: 'Renamed since' },
    })
    clock.advance(1000)
    const { is_primary: _flag, ...without } = input
    for (const again of [input, without]) {
      const { status, data } = await map(msp.owner, again)
      expect([status, data]).toEqual([200, { ...first.data, psa_company_name: 'Renamed since' }])
    }
    const rows = await activitiesOf(msp)
    expect(rows).toHaveLength(1)
  })

  it('clears only once', async () => {
    const msp = await linkedMsp()
    const cleared = await map(msp.admin, { external_id: '1', psa_company_id: null })
    const again = await map(msp.admin, { external_id: '1', psa_company_id: null })
    expect([cleared.data.revision, again.data, again.etag]).toEqual([2, cleared.data, cleared.etag])
    const rows = await activitiesOf(msp)
    expect(rows).toHaveLength(1)
  })

  it('makes an AUTO link MANUAL with the company that it has', async () => {
    const msp = await linkedMsp()
    const { data } = await map(msp.admin, { external_id: '1', psa_company_id: 'psa_a' })
    expect(data).toMatchObject({ link_state: 'MANUAL', mapped_by: 'Admin', confidence: 1, revision: 2 })
  })

  it.runIf(onPostgresql)('costs six statements, whether or not another link loses the flag', async () => {
    const msp = await linkedMsp()
    const primary = (external_id: string) => () =>
      map(msp.admin, { external_id, psa_company_id: 'psa_a', is_primary: true })
    await primary('1')()
    for (const work of [primary('2'), () => map(msp.admin, { external_id: '5', psa_company_id: 'psa_a' })]) {
      // The caller, BEGIN, the locks of the company and of its links, the write with its activity, COMMIT.
      expect(await countStatements(msp.database, work)).toBe(6)
    }
  })

  it.runIf(onPostgresql)('with one If-Match six times at once is done once', async () => {
    const msp = await linkedMsp()
    clock.freeze()
    const { etag } = await map(msp.admin, { external_id: '5', psa_company_id: 'psa_b' })
    const answers = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((number) =>
        map(
          msp.admin,
          { external_id: '5', psa_company_id: number % 2 ? 'psa_a' : null },
          { 'if-match': etag ?? '' },
        ),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409])
    const { data } = await api.call(msp.viewer, 'company_link', { system: 'HUDU', external_id: '5' })
    expect(data.revision).toBe(3)
  })

  it('is for ADMIN, OWNER and keys with the scope', async () => {
    const msp = await linkedMsp()
    const reader = await msp.newKey({ scopes: ['end_companies:read'] })
    const writer = await msp.newKey({ scopes: ['end_companies:write'] })
    const answers = await Promise.all(
      [msp.user, msp.viewer, reader, msp.owner, writer].map((caller) =>
        map(caller, { external_id: '5', psa_company_id: 'psa_a' }),
      ),
    )
    expect(answers.map(({ status, error }) => [status, error?.code])).toEqual([
      [403, 'forbidden'],
      [403, 'forbidden'],
      [403, 'insufficient_scope'],
      [200, undefined],
      [200, undefined],
    ])
  })

  it('leaves one activity row, which names the link that lost the flag too', async () => {
    const msp = await linkedMsp()
    await map(msp.admin, { external_id: '1', psa_company_id: 'psa_a', is_primary: true })
    await map(msp.admin, { external_id: '2', psa_company_id: 'psa_a', is_primary: true })
    await map(msp.admin, { external_id: '2', psa_company_id: null })
    const rows = await activitiesOf(msp)
    expect(rows.map(({ action }) => action)).toEqual([
      'company_link.mapped',
      'company_link.mapped',
      'company_link.cleared',
    ])
    expect(rows[1]).toMatchObject({
      targets: [
        { type: 'company_link', id: 'HUDU/2', name: 'alpha' },
        { type: 'company_link', id: 'HUDU/1', name: 'Zeta' },
      ],
      before: { link_state: 'AUTO', is_primary: false },
      after: { link_state: 'MANUAL', is_primary: true },
    })
  })
})
