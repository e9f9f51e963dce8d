import pg from 'pg'
import { expect, it, onTestFinished, vi } from 'vitest'
import { REGISTRY } from '../../../src/areas/integrations/registry.ts'
import type { Word } from '../../../src/schema/models.ts'
import { describeApi, walk } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addCompanies, addLinks } from '../../setup/companies.ts'
import { countStatements } from '../../setup/statements.ts'
import { days, world } from '../../setup/world.ts'
import { ids, linkedMsp, list, onPostgresql } from './links.ts'

describeApi('company links', (api) => {
  it.each([
    ['Cafe\u0301 Central', 'CAFÉ'],
    ['Café Central', 'cafe\u0301 central'],
    ['ＢＬＵＥ　Ｌａｂｓ', 'blue labs'],
    ['Blue Labs', 'ｂｌｕｅ'],
    ['Åkesson & Söner Entreprenad', 'A\u030akesson & So\u0308ner entreprenad'],
    ['50 % Off', '％'],
  ])('%j is found by %j', async (name, search) => {
    const msp = await world()
    await addLinks(msp, [
      { external_id: '1', external_name: name },
      { external_id: '2', external_name: 'Bolt' },
    ])
    expect(ids(await list(api, msp.key, { search }))).toEqual(['1'])
  })

  it('answer every field of the contract', async () => {
    const msp = await linkedMsp()
    const { data, pagination } = await list(api, msp.key, { search: 'zeta' })
    expect(pagination).toEqual({ next_cursor: null, has_more: false })
    expect(data).toEqual({
      links: [
        {
          system: 'HUDU',
          external_id: '1',
          external_name: 'Zeta',
          psa_company_id: 'psa_a',
          psa_company_name: 'Company a',
          link_state: 'AUTO',
          match_method: 'FUZZY',
          confidence: 0.94,
          is_primary: false,
          mapped_by: null,
          mapped_at: null,
          revision: 1,
          needs_review: true,
        },
      ],
      counts: { total: 1, mapped: 1, unmapped: 0 },
    })
  })

  it('put unmapped rows first, then go by name in any letter case, with the id for a missing name', async () => {
    const msp = await linkedMsp()
    expect(ids(await list(api, msp.viewer))).toEqual(['5', '4', '2', '3', '1'])
  })

  it.each([
    ['all', ['5', '4', '2', '3', '1']],
    ['mapped', ['4', '2', '3', '1']],
    ['unmapped', ['5']],
    ['manual', ['3']],
  ])('with status %s are %j, and counted whatever the status', async (status, expected) => {
    const msp = await linkedMsp()
    const answer = await list(api, msp.user, { status })
    expect(ids(answer)).toEqual(expected)
    expect(answer.data.counts).toEqual({ total: 5, mapped: 4, unmapped: 1 })
    const [first] = await walk((cursor) => list(api, msp.user, { status, page_size: 1, ...cursor }))
    expect(first?.data.counts).toEqual({ total: 5, mapped: 4, unmapped: 1 })
  })

  it.each([
    [{ psa_company_id: 'psa_b' }, ['4', '3'], { total: 2, mapped: 2, unmapped: 0 }],
    [{ psa_company_id: 'psa_none' }, [], { total: 0, mapped: 0, unmapped: 0 }],
    [{ psa_company_id: '' }, [], { total: 0, mapped: 0, unmapped: 0 }],
    [{ psa_company_id: 'psa_a', status: 'unmapped' }, [], { total: 2, mapped: 2, unmapped: 0 }],
    [{ search: 'ETA' }, ['3', '1'], { total: 2, mapped: 2, unmapped: 0 }],
    [{ search: 'eta', psa_company_id: 'psa_b' }, ['3'], { total: 1, mapped: 1, unmapped: 0 }],
    [{ search: 'a', status: 'unmapped' }, ['5'], { total: 4, mapped: 3, unmapped: 1 }],
    [{ search: '4' }, [], { total: 0, mapped: 0, unmapped: 0 }],
    [{ needs_review: true }, ['4', '1'], { total: 5, mapped: 4, unmapped: 1 }],
    [{ needs_review: false }, ['5', '2', '3'], { total: 5, mapped: 4, unmapped: 1 }],
    [{ needs_review: true, status: 'unmapped' }, [], { total: 5, mapped: 4, unmapped: 1 }],
    [{ needs_review: true, psa_company_id: 'psa_b' }, ['4'], { total: 2, mapped: 2, unmapped: 0 }],
    [{ needs_review: false, search: 'eta' }, ['3'], { total: 2, mapped: 2, unmapped: 0 }],
  ])('filtered by %j are %j with the counts %j', async (filters, expected, counts) => {
    const msp = await linkedMsp()
    const answer = await list(api, msp.admin, filters)
    expect([ids(answer), answer.data.counts]).toEqual([expected, counts])
  })

  it.each([
    ['%', 'percent'],
    ['_', 'underscore'],
    ['\\', 'backslash'],
    ['%_\\', 'all'],
    ['É', 'accent'],
    ['é', 'accent'],
  ])('are searched for %j as it stands', async (search, expected) => {
    const msp = await world()
    await addLinks(msp, [
      { external_id: 'percent', external_name: '100% Ltd' },
      { external_id: 'underscore', external_name: 'snake_case' },
      { external_id: 'backslash', external_name: 'C:\\Temp' },
      { external_id: 'all', external_name: 'x%_\\y' },
      { external_id: 'accent', external_name: 'CAFÉ' },
      { external_id: 'plain', external_name: 'plain' },
      { external_id: 'null%_\\é', external_name: null },
    ])
    const found = ids(await list(api, msp.key, { search }))
    expect(found).toContain(expected)
    expect(found).not.toContain('plain')
    expect(found.filter((id) => id.startsWith('null'))).toEqual([])
    expect(found.length).toBe(search.length === 1 && search !== 'É' && search !== 'é' ? 2 : 1)
  })

  it('never list or count a folder that nobody confirmed', async () => {
    const msp = await world()
    await addCompanies(msp, [{ id: 'a' }])
    await addLinks(msp, [
      { external_id: 'h1', system: 'SHAREPOINT' },
      { external_id: 'h2', system: 'SHAREPOINT', psa_company_id: 'psa_a' },
      { external_id: 'h3', system: 'SHAREPOINT', psa_company_id: 'psa_a', link_state: 'MANUAL' },
      { external_id: 'c1', system: 'SHAREPOINT', confirmed_at: clock.now() },
      { external_id: 'c2', system: 'SHAREPOINT', confirmed_at: clock.now(), psa_company_id: 'psa_a' },
    ])
    const answer = await list(api, msp.key, { system: 'SHAREPOINT' })
    expect([ids(answer), answer.data.counts]).toEqual([['c1', 'c2'], { total: 2, mapped: 1, unmapped: 1 }])
    const ofCompany = await list(api, msp.key, { system: 'SHAREPOINT', psa_company_id: 'psa_a' })
    expect([ids(ofCompany), ofCompany.data.counts.total]).toEqual([['c2'], 1])
    const found = await list(api, msp.key, { system: 'SHAREPOINT', search: 'h' })
    expect([ids(found), found.data.counts.total]).toEqual([[], 0])
  })

  it('that nobody confirmed are listed in every system but those whose entities are folders', async () => {
    const msp = await world()
    await addLinks(
      msp,
      REGISTRY.map(({ system }) => ({ external_id: 'unconfirmed', system })),
    )
    for (const { system, entities } of REGISTRY) {
      const { data } = await list(api, msp.key, { system })
      expect([system, data.counts.total]).toEqual([system, entities === 'FOLDERS' ? 0 : 1])
    }
  })

  it('are of one system, one tenant and one environment', async () => {
    const msp = await linkedMsp()
    const other = await linkedMsp()
    await addLinks(msp, [{ external_id: 'pax', system: 'PAX8' }])
    await addLinks({ ...msp, environment: 'elsewhere' }, [{ external_id: 'elsewhere' }])
    expect(ids(await list(api, msp.key, { system: 'PAX8' }))).toEqual(['pax'])
    expect(ids(await list(api, msp.key))).toHaveLength(5)
    expect(ids(await list(api, other.key, { system: 'PAX8' }))).toEqual([])
  })

  it.each<[Word<'MatchMethod'>, number, boolean]>([
    ['FUZZY', 0.9499, true],
    ['FUZZY', 0.95, false],
    ['LLM', 0, true],
  ])('an AUTO link by %s of %d needs review: %j', async (match_method, confidence, needs_review) => {
    const msp = await world()
    await addCompanies(msp, [{ id: 'a' }])
    await addLinks(msp, [{ external_id: '1', psa_company_id: 'psa_a', match_method, confidence }])
    const { data } = await list(api, msp.key)
    expect(data.links).toMatchObject([{ link_state: 'AUTO', match_method, confidence, needs_review }])
  })

  it('are read with the scope and by every role', async () => {
    const msp = await world()
    const key = await msp.newKey({ scopes: ['end_companies:read'] })
    for (const caller of [msp.owner, msp.admin, msp.user, msp.viewer, key]) {
      expect((await list(api, caller)).status).toBe(200)
    }
    const refused = await list(api, await msp.newKey({ scopes: ['settings:read'] }))
    expect([refused.status, refused.error?.code]).toEqual([403, 'insufficient_scope'])
  })

  it.each([
    [{ page_size: 0 }, 'page_size', 'range'],
    [{ page_size: 201 }, 'page_size', 'range'],
    [{ page_size: 'ten' }, 'page_size', 'type'],
    [{ page_size: 1.5 }, 'page_size', 'type'],
    [{ system: 'NOBODY' }, 'system', 'enum'],
    [{ system: 'hudu' }, 'system', 'enum'],
    [{ system: undefined }, 'system', 'required'],
    [{ status: 'MANUAL' }, 'status', 'enum'],
    [{ status: 'some' }, 'status', 'enum'],
    [{ needs_review: 'maybe' }, 'needs_review', 'type'],
    [{ search: ' ' }, 'search', 'length'],
    [{ search: 'x'.repeat(201) }, 'search', 'length'],
    [{ search: 'a\u0000' }, 'search', 'characters'],
  ])('refuse %j with 422', async (args, field, code) => {
    const msp = await world()
    const { status, error } = await list(api, msp.key, args)
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors).toMatchObject([{ field, location: 'query', code }])
  })

  it.each([1, 200])('take the page size %d', async (page_size) => {
    const msp = await linkedMsp()
    const { status, data } = await list(api, msp.key, { page_size })
    expect([status, data.links.length]).toEqual([200, Math.min(page_size, 5)])
  })

  it('refuse a cursor of other filters, of another list, of another tenant, tampered or expired', async () => {
    const msp = await linkedMsp()
    const other = await linkedMsp()
    const cursor = (await list(api, msp.key, { page_size: 1 })).pagination?.next_cursor ?? ''
    const tampered = `${cursor.startsWith('A') ? 'B' : 'A'}${cursor.slice(1)}`
    const refused = [
      await list(api, msp.key, { cursor, status: 'mapped' }),
      await list(api, msp.key, { cursor, search: 'a' }),
      await list(api, msp.key, { cursor, needs_review: false }),
      await list(api, msp.key, { cursor, system: 'PAX8' }),
      await list(api, msp.key, { cursor, psa_company_id: 'psa_a' }),
      await api.call(msp.key, 'end_companies', { cursor }),
      await list(api, other.key, { cursor }),
      await list(api, msp.key, { cursor: tampered }),
      await list(api, msp.key, { cursor: 'nonsense' }),
    ]
    clock.advance(days(1) + 1)
    const key = await msp.newKey()
    refused.push(await list(api, key, { cursor }))
    expect(refused.map(({ status, error }) => [status, error?.code, error?.details.reason])).toEqual([
      ...Array(5).fill([400, 'invalid_cursor', 'FILTERS_CHANGED']),
      ...Array(4).fill([400, 'invalid_cursor', 'MALFORMED']),
      [400, 'invalid_cursor', 'EXPIRED'],
    ])
  })

  it('go on with the same cursor for another page size', async () => {
    const msp = await linkedMsp()
    const { pagination } = await list(api, msp.key, { page_size: 2 })
    const rest = await list(api, msp.key, { page_size: 200, cursor: pagination?.next_cursor })
    expect([ids(rest), rest.pagination]).toEqual([['2', '3', '1'], { next_cursor: null, has_more: false }])
  })

  it.runIf(onPostgresql)('are found by statements that are planned for what is asked', async () => {
    const msp = await linkedMsp()
    const query = vi.spyOn(pg.Client.prototype, 'query')
    onTestFinished(() => query.mockRestore())
    const { pagination } = await list(api, msp.key, { search: 'a', page_size: 1 })
    await list(api, msp.key, { search: 'a', page_size: 1, cursor: pagination?.next_cursor })
    const sent = query.mock.calls.map(([config]) => config as unknown as { name?: string; text: string })
    const searches = sent.filter(({ text }) => text?.includes('sort_name like'))
    expect(searches.map(({ name }) => name)).toEqual(Array(4).fill(undefined))
  })

  it('cost as many statements for 200 rows as for 5', async () => {
    const msp = await linkedMsp()
    await list(api, msp.key)
    const five = await countStatements(msp.database, () => list(api, msp.key))
    await addLinks(
      msp,
      Array.from({ length: 195 }, (_, n) => ({ external_id: `n${n}`, psa_company_id: 'psa_a' })),
    )
    for (const needs_review of [undefined, true]) {
      const work = () => list(api, msp.key, { page_size: 200, needs_review })
      expect([await countStatements(msp.database, work), five > 0]).toEqual([five, true])
    }
  })
})
