import fc from 'fast-check'
import pg from 'pg'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { MatchMethod } from '../../src/areas/company-links/rules.ts'
import { REGISTRY } from '../../src/areas/integrations/registry.ts'
import { type Answer, type Api, type Arguments, apis, describeApi } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { graphql } from '../setup/graphql.ts'
import { countStatements } from '../setup/statements.ts'
import { type Caller, days, type Msp, world } from '../setup/world.ts'
import { addCompanies, addLinks, byteOrder } from './companies.ts'

const onPostgresql = process.env.DATABASE_URL !== undefined

interface Row {
  external_id: string
  external_name: string | null
  psa_company_id: string | null
}

const ids = ({ data }: Answer): string[] => data.links.map(({ external_id }: Row) => external_id)

const list = (api: Api, caller: Caller, args: Arguments = {}) =>
  api.call(caller, 'company_links', { system: 'HUDU', ...args })

async function walk(api: Api, caller: Caller, args: Arguments): Promise<Answer[]> {
  const pages: Answer[] = []
  let cursor: string | undefined
  do {
    const page: Answer = await list(api, caller, { ...args, ...(cursor && { cursor }) })
    pages.push(page)
    cursor = page.pagination?.next_cursor ?? undefined
  } while (cursor)
  return pages
}

/** An MSP with companies a and b, two links to each of them and one to none. */
async function linkedMsp(): Promise<Msp> {
  const msp = await world()
  await addCompanies(msp, [{ id: 'a' }, { id: 'b' }])
  await addLinks(msp, [
    { external_id: '1', external_name: 'Zeta', psa_company_id: 'psa_a', confidence: 0.94 },
    { external_id: '2', external_name: 'alpha', psa_company_id: 'psa_a', confidence: 0.95 },
    { external_id: '3', external_name: 'Beta', psa_company_id: 'psa_b', link_state: 'MANUAL', confidence: 1 },
    { external_id: '4', external_name: null, psa_company_id: 'psa_b' },
    { external_id: '5', external_name: 'Gamma' },
  ])
  return msp
}

describeApi('company links', (api) => {
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
    const [first] = await walk(api, msp.user, { status, page_size: 1 })
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

  it.each<[MatchMethod, number, boolean]>([
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

  it('are all visited once, in order, by walking pages of any size with any filters', async () => {
    const msp = await world()
    const { prisma } = msp.database
    await addCompanies(msp, [{ id: 'a' }, { id: 'b' }])
    const name = fc.option(
      fc.string({ unit: fc.constantFrom(...'aAbBéÉñÑяЯ日%_\\ 0'), minLength: 1, maxLength: 3 }),
    )
    const link = fc.record({
      external_id: fc.string({ unit: fc.constantFrom(...'aAéЯ1%'), minLength: 1, maxLength: 4 }),
      external_name: name,
      psa_company_id: fc.option(fc.constantFrom('psa_a', 'psa_b')),
      manual: fc.boolean(),
      confidence: fc.constantFrom(0, 0.9499, 0.95, 1),
      confirmed: fc.boolean(),
    })
    const links = fc.uniqueArray(link, { selector: ({ external_id }) => external_id, maxLength: 25 })
    const filters = fc.record(
      {
        status: fc.constantFrom('all', 'mapped', 'unmapped', 'manual'),
        psa_company_id: fc.constantFrom('psa_a', 'psa_b'),
        needs_review: fc.boolean(),
        search: fc.constantFrom('a', 'É', '%', '_', '\\', '日'),
        page_size: fc.integer({ min: 1, max: 9 }),
      },
      { requiredKeys: ['page_size'] },
    )
    await fc.assert(
      fc.asyncProperty(links, filters, async (given, args) => {
        await prisma.companyLink.deleteMany({ where: { tenant_id: msp.tenant_id } })
        await addLinks(
          msp,
          given.map(({ manual, confirmed, ...row }) => ({
            ...row,
            system: 'SHAREPOINT',
            confirmed_at: confirmed ? clock.now() : null,
            ...(manual && row.psa_company_id && { link_state: 'MANUAL' as const }),
          })),
        )
        const counted = given
          .filter(({ confirmed }) => confirmed)
          .filter(({ psa_company_id }) => !args.psa_company_id || psa_company_id === args.psa_company_id)
          .filter(
            ({ external_name }) =>
              !args.search || external_name?.toLowerCase().includes(args.search.toLowerCase()),
          )
        const isMapped = ({ psa_company_id }: Row) => psa_company_id !== null
        const needsReview = (row: (typeof given)[number]) =>
          isMapped(row) && !row.manual && row.confidence < 0.95
        const shown = {
          all: () => true,
          mapped: isMapped,
          unmapped: (row: Row) => !isMapped(row),
          manual: (row: Row & { manual: boolean }) => isMapped(row) && row.manual,
        }[args.status ?? 'all']
        const sortName = (row: Row) => (row.external_name ?? row.external_id).toLowerCase()
        const expected = counted
          .filter(shown)
          .filter((row) => args.needs_review === undefined || needsReview(row) === args.needs_review)
          .sort(
            (a, b) =>
              Number(isMapped(a)) - Number(isMapped(b)) ||
              byteOrder(sortName(a), sortName(b)) ||
              byteOrder(a.external_id, b.external_id),
          )
          .map(({ external_id }) => external_id)
        const pages = await walk(api, msp.key, { system: 'SHAREPOINT', ...args })
        expect(pages.flatMap(ids)).toEqual(expected)
        expect(pages.slice(0, -1).every((page) => page.data.links.length === args.page_size)).toBe(true)
        const mapped = counted.filter(isMapped).length
        const counts = { total: counted.length, mapped, unmapped: counted.length - mapped }
        for (const { data } of pages) expect(data.counts).toEqual(counts)
      }),
      { numRuns: 25 },
    )
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
    query.mockClear()
    for (const needs_review of [true, false]) await list(api, msp.key, { needs_review })
    const reviews = query.mock.calls.map(([config]) => config as unknown as { name?: string; text: string })
    const pages = reviews.filter(({ text }) => text?.includes('l.confidence < 0.95'))
    expect(pages.map(({ name }) => name)).toEqual([undefined, undefined])
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

  it('names the acting user of a key, else the key', async () => {
    const msp = await linkedMsp()
    const acting = await msp.newKey({ acting_user_id: msp.owner.id })
    const byKey = await map(msp.key, { external_id: '5', psa_company_id: 'psa_b' })
    const byUser = await map(acting, { external_id: '5', psa_company_id: 'psa_a' })
    expect([byKey.data.mapped_by, byUser.data.mapped_by]).toEqual([msp.key.id, 'Owner'])
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
    [{ external_id: 'a\u0000', psa_company_id: 'psa_a' }, 'company_link_not_found'],
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

  it('leaves what a person mapped there before as it is, and records nothing', async () => {
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
      const { status, data, etag } = await map(msp.owner, again)
      expect([status, data, etag]).toEqual([200, first.data, first.etag])
    }
    const rows = await msp.database.prisma.activityEntry.findMany({ where: { tenant_id: msp.tenant_id } })
    expect(rows).toHaveLength(1)
  })

  it('clears only once', async () => {
    const msp = await linkedMsp()
    const cleared = await map(msp.admin, { external_id: '1', psa_company_id: null })
    const again = await map(msp.admin, { external_id: '1', psa_company_id: null })
    expect([cleared.data.revision, again.data, again.etag]).toEqual([2, cleared.data, cleared.etag])
    const rows = await msp.database.prisma.activityEntry.findMany({ where: { tenant_id: msp.tenant_id } })
    expect(rows).toHaveLength(1)
  })

  it('makes an AUTO link MANUAL with the company that it has', async () => {
    const msp = await linkedMsp()
    const { data } = await map(msp.admin, { external_id: '1', psa_company_id: 'psa_a' })
    expect(data).toMatchObject({ link_state: 'MANUAL', mapped_by: 'Admin', confidence: 1, revision: 2 })
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
    const rows = await msp.database.prisma.activityEntry.findMany({
      where: { tenant_id: msp.tenant_id },
      orderBy: { occurred_at: 'asc' },
    })
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

describeApi('confirming company links', (api) => {
  const confirm = (caller: Caller, external_ids: unknown, headers?: Record<string, string>) =>
    api.call(caller, 'confirm_company_links', { input: { system: 'HUDU', external_ids } }, headers)

  it('makes AUTO links MANUAL with the company they have, in the order asked, twice-named ones once', async () => {
    const msp = await linkedMsp()
    const { status, data } = await confirm(msp.admin, ['4', '1', '4'])
    expect([status, data]).toMatchObject([
      200,
      [
        { external_id: '4', psa_company_id: 'psa_b', psa_company_name: 'Company b', link_state: 'MANUAL' },
        { external_id: '1', match_method: 'MANUAL', confidence: 1, mapped_by: 'Admin', needs_review: false },
      ],
    ])
    expect(data).toHaveLength(2)
    expect((await list(api, msp.key, { status: 'manual' })).data.links).toEqual([
      data[0],
      expect.objectContaining({ external_id: '3' }),
      data[1],
    ])
  })

  it('leaves a MANUAL link exactly as it is', async () => {
    const msp = await linkedMsp()
    const where = { tenant_id: msp.tenant_id, external_id: '3' }
    const before = await msp.database.prisma.companyLink.findFirst({ where })
    clock.advance(1000)
    expect((await confirm(msp.admin, ['3', '1'])).status).toBe(200)
    expect(await msp.database.prisma.companyLink.findFirst({ where })).toEqual(before)
  })

  it('leaves MANUAL links as they are, and records nothing', async () => {
    const msp = await linkedMsp()
    const first = await confirm(msp.admin, ['1', '2'])
    expect(first.data.map(({ revision }: { revision: number }) => revision)).toEqual([2, 2])
    clock.advance(1000)
    expect((await confirm(msp.owner, ['1', '2'])).data).toEqual(first.data)
    const mixed = await confirm(msp.owner, ['1', '4'])
    expect(mixed.data).toEqual([first.data[0], expect.objectContaining({ revision: 2, mapped_by: 'Owner' })])
    const rows = await msp.database.prisma.activityEntry.findMany({
      where: { tenant_id: msp.tenant_id },
      orderBy: { occurred_at: 'asc' },
    })
    expect(rows.map(({ targets }) => targets)).toMatchObject([
      [{ id: 'HUDU/1' }, { id: 'HUDU/2' }],
      [{ id: 'HUDU/4' }],
    ])
  })

  it.each([
    [['1', 'none', '5', 'nobody', 'none'], 404, 'company_link_not_found', ['none', 'nobody']],
    [['1', '5', '2', '6'], 409, 'company_link_unmapped', ['5', '6']],
    [['5', 'none'], 404, 'company_link_not_found', ['none']],
    [Array.from({ length: 200 }, (_, n) => (n === 77 ? 'bad' : '1')), 404, 'company_link_not_found', ['bad']],
  ])('refuses %j with %d %s for %j, and changes nothing', async (external_ids, status, code, bad) => {
    const msp = await linkedMsp()
    await addLinks(msp, [{ external_id: '6' }])
    const answer = await confirm(msp.admin, external_ids)
    expect([answer.status, answer.error?.code]).toEqual([status, code])
    expect(answer.error?.details).toMatchObject({ id: bad[0], ids: bad })
    expect(ids(await list(api, msp.key, { status: 'manual' }))).toEqual(['3'])
  })

  it.each([
    [[], 'external_ids', 'length'],
    [Array.from({ length: 201 }, String), 'external_ids', 'length'],
    [undefined, 'external_ids', 'required'],
    [null, 'external_ids', 'null'],
    ['1', 'external_ids', 'type'],
    [['1', null], 'external_ids.1', 'null'],
    [['1', 2], 'external_ids.1', 'type'],
  ])('refuses the ids %j with 422', async (external_ids, field, code) => {
    const msp = await linkedMsp()
    const { status, error } = await confirm(msp.admin, external_ids)
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors).toMatchObject([{ field, location: 'body', code }])
  })

  it('takes 200 ids', async () => {
    const msp = await linkedMsp()
    const external_ids = Array.from({ length: 200 }, (_, n) => `n${n}`)
    await addLinks(
      msp,
      external_ids.map((external_id) => ({ external_id, psa_company_id: 'psa_a' })),
    )
    const { data } = await confirm(msp.admin, external_ids)
    expect(data.map(({ external_id }: Row) => external_id)).toEqual(external_ids)
  })

  it('does not reach links of another tenant', async () => {
    const msp = await linkedMsp()
    const other = await world()
    expect((await confirm(other.admin, ['1'])).error?.code).toBe('company_link_not_found')
    expect(ids(await list(api, msp.key, { status: 'manual' }))).toEqual(['3'])
  })

  it('lists a folder that nobody had confirmed', async () => {
    const msp = await linkedMsp()
    const system = 'SHAREPOINT'
    await addLinks(msp, [{ external_id: 'h', system, psa_company_id: 'psa_a' }])
    await api.call(msp.admin, 'confirm_company_links', { input: { system, external_ids: ['h'] } })
    expect(ids(await list(api, msp.key, { system }))).toEqual(['h'])
  })

  it('is for ADMIN, OWNER and keys with the scope', async () => {
    const msp = await linkedMsp()
    const reader = await msp.newKey({ scopes: ['end_companies:read'] })
    const answers = await Promise.all([msp.user, msp.viewer, reader].map((caller) => confirm(caller, ['1'])))
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
  })

  it('leaves one activity row and is replayed for the same Idempotency-Key', async () => {
    const msp = await linkedMsp()
    const headers = { 'idempotency-key': 'confirm-once' }
    const first = await confirm(msp.admin, ['2', '1'], headers)
    const again = await confirm(msp.admin, ['2', '1'], headers)
    expect([again.data, again.headers.get('idempotency-replayed')]).toEqual([first.data, 'true'])
    const rows = await msp.database.prisma.activityEntry.findMany({ where: { tenant_id: msp.tenant_id } })
    expect(rows).toMatchObject([
      {
        action: 'company_link.confirmed',
        targets: [{ id: 'HUDU/2' }, { id: 'HUDU/1' }],
        before: [{ link_state: 'AUTO' }, { link_state: 'AUTO' }],
        after: [{ link_state: 'MANUAL' }, { link_state: 'MANUAL' }],
      },
    ])
  })

  it.runIf(onPostgresql)('and clearing at once end in one of the two orders', async () => {
    const msp = await linkedMsp()
    for (let round = 0; round < 5; round++) {
      await msp.database.prisma.companyLink.updateMany({
        where: { tenant_id: msp.tenant_id, external_id: '1' },
        data: { psa_company_id: 'psa_a', link_state: 'AUTO' },
      })
      const [confirmed] = await Promise.all([
        confirm(msp.admin, ['1', '2']),
        api.call(msp.key, 'map_company_link', {
          input: { system: 'HUDU', external_id: '1', psa_company_id: null },
        }),
      ])
      expect([200, 409]).toContain(confirmed.status)
      const { data } = await list(api, msp.key, { status: 'unmapped', search: 'zeta' })
      expect(data.links).toMatchObject([{ link_state: 'UNMAPPED', mapped_by: null }])
    }
  })
})

describeApi('folders and other entities', (api) => {
  interface Modelled {
    company: string | null
    isManual: boolean
    isConfirmed: boolean
  }
  type Model = Map<string, Modelled>

  const system = fc.constantFrom('SHAREPOINT' as const, 'HUDU' as const)
  const external_id = fc.constantFrom(...'abcde')
  const company = fc.constantFrom('psa_a', 'psa_b')
  const step = fc.oneof(
    fc.record({ kind: fc.constant('sync' as const), system, external_id, company: fc.option(company) }),
    fc.record({ kind: fc.constant('vanish' as const), system, external_id }),
    fc.record({ kind: fc.constant('map' as const), system, external_id, company }),
    fc.record({ kind: fc.constant('clear' as const), system, external_id }),
    fc.record({
      kind: fc.constant('confirm' as const),
      system,
      external_ids: fc.uniqueArray(external_id, { minLength: 1, maxLength: 3 }),
    }),
  )
  type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

  /** Does what a sync does: finds an entity, and a company for it where no person has set one. */
  async function sync(msp: Msp, { system, external_id, company }: Step & { kind: 'sync' }) {
    const where = { tenant_id: msp.tenant_id, system, external_id }
    const found = company
      ? ({ psa_company_id: company, link_state: 'AUTO', match_method: 'DOMAIN', confidence: 0.9 } as const)
      : ({ psa_company_id: null, link_state: 'UNMAPPED', match_method: 'UNMATCHED', confidence: 0 } as const)
    const { companyLink } = msp.database.prisma
    if ((await companyLink.count({ where })) === 0) await addLinks(msp, [{ external_id, system, ...found }])
    else await companyLink.updateMany({ where: { ...where, link_state: { not: 'MANUAL' } }, data: found })
  }

  const confirmed = (company: string): Modelled => ({ company, isManual: true, isConfirmed: true })

  /** Does the step in the database, and gives what it changes in the model of the step's system. */
  async function take(msp: Msp, step: Step, model: Model): Promise<[string, Modelled | null][]> {
    const { system } = step
    const stored = (id: string) => model.get(id)
    if (step.kind === 'confirm') {
      const { external_ids } = step
      const input = { system, external_ids }
      const { status } = await api.call(msp.admin, 'confirm_company_links', { input })
      const companies = external_ids.map((id) => stored(id)?.company)
      const expected = external_ids.some((id) => !stored(id)) ? 404 : companies.includes(null) ? 409 : 200
      expect(status).toBe(expected)
      return expected === 200 ? external_ids.map((id, index) => [id, confirmed(companies[index] ?? '')]) : []
    }
    const { external_id } = step
    const before = stored(external_id)
    if (step.kind === 'sync') {
      await sync(msp, step)
      if (before?.isManual) return []
      const isConfirmed = before?.isConfirmed ?? false
      return [[external_id, { company: step.company, isManual: false, isConfirmed }]]
    }
    if (step.kind === 'vanish') {
      const { tenant_id } = msp
      await msp.database.prisma.companyLink.deleteMany({ where: { tenant_id, system, external_id } })
      return [[external_id, null]]
    }
    const psa_company_id = step.kind === 'map' ? step.company : null
    const input = { system, external_id, psa_company_id }
    const { status } = await api.call(msp.admin, 'map_company_link', { input })
    expect(status).toBe(before ? 200 : 404)
    if (!before) return []
    if (step.kind === 'map') return [[external_id, confirmed(step.company)]]
    return [[external_id, { ...before, company: null, isManual: false }]]
  }

  it('are listed and counted as a model of them has it, whatever syncs and persons did', async () => {
    const msp = await world()
    await addCompanies(msp, [{ id: 'a' }, { id: 'b' }])
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        await msp.database.prisma.companyLink.deleteMany({ where: { tenant_id: msp.tenant_id } })
        const models: Record<string, Model> = { SHAREPOINT: new Map(), HUDU: new Map() }
        for (const each of steps) {
          const model = models[each.system] as Model
          for (const [id, link] of await take(msp, each, model)) {
            if (link) model.set(id, link)
            else model.delete(id)
          }
        }
        const links: Record<string, number> = { psa_a: 0, psa_b: 0 }
        for (const [system, model] of Object.entries(models)) {
          const listed = [...model].filter(([, { isConfirmed }]) => system === 'HUDU' || isConfirmed)
          const mapped = listed.flatMap(([, { company }]) => company ?? [])
          for (const company of mapped) links[company] = (links[company] ?? 0) + 1
          const { data } = await list(api, msp.viewer, { system })
          expect([...ids({ data } as Answer)].sort()).toEqual(listed.map(([id]) => id).sort())
          const counts = { total: listed.length, mapped: mapped.length }
          expect(data.counts).toEqual({ ...counts, unmapped: counts.total - counts.mapped })
        }
        const companies = await api.call(msp.viewer, 'end_companies')
        expect(
          companies.data.map(
            ({ psa_company_id, link_count }: { psa_company_id: string; link_count: number }) => [
              psa_company_id,
              link_count,
            ],
          ),
        ).toEqual(Object.entries(links))
      }),
      { numRuns: 20 },
    )
  }, 60_000)
})

describe('company links in the graph', () => {
  it('have their company, in one statement for the whole page', async () => {
    const msp = await linkedMsp()
    const query = (page_size: number) => `{ company_links(system: HUDU, page_size: ${page_size}) {
      links { external_id end_company { id name link_count } } } }`
    const { data } = await graphql(msp.key, query(5))
    expect(data.company_links.links).toEqual([
      { external_id: '5', end_company: null },
      { external_id: '4', end_company: { id: 'b', name: 'Company b', link_count: 2 } },
      { external_id: '2', end_company: { id: 'a', name: 'Company a', link_count: 2 } },
      { external_id: '3', end_company: { id: 'b', name: 'Company b', link_count: 2 } },
      { external_id: '1', end_company: { id: 'a', name: 'Company a', link_count: 2 } },
    ])
    const few = await countStatements(msp.database, () => graphql(msp.key, query(5)))
    const more = Array.from({ length: 195 }, (_, n) => `n${n}`)
    await addCompanies(
      msp,
      more.map((id) => ({ id })),
    )
    await addLinks(
      msp,
      more.map((id) => ({ external_id: id, psa_company_id: `psa_${id}` })),
    )
    const many = await countStatements(msp.database, () => graphql(msp.key, query(200)))
    expect(many).toBe(few)
  })

  it('have their company in the answer of a mutation too, with an Idempotency-Key too', async () => {
    const msp = await linkedMsp()
    const mutation = `mutation { confirm_company_links(input: { system: HUDU, external_ids: ["1", "4"] }) {
      end_company { id company_links { items { external_id } } } } }`
    const expected = [
      { end_company: { id: 'a', company_links: { items: [{ external_id: '2' }, { external_id: '1' }] } } },
      { end_company: { id: 'b', company_links: { items: [{ external_id: '4' }, { external_id: '3' }] } } },
    ]
    expect((await graphql(msp.admin, mutation)).data.confirm_company_links).toEqual(expected)
    const keyed = await graphql(msp.admin, mutation, { 'idempotency-key': 'once' })
    expect(keyed.data.confirm_company_links).toEqual(expected)
  })

  it('of each company are one statement for a list of companies, and go on by cursor', async () => {
    const msp = await linkedMsp()
    await addLinks(msp, [{ external_id: '0', system: 'PAX8', psa_company_id: 'psa_a' }])
    const links = 'items { system external_id } pagination { next_cursor has_more }'
    const query = `{ end_companies { items { id company_links(page_size: 2) { ${links} } } } }`
    const { data } = await graphql(msp.key, query)
    const [a, b] = data.end_companies.items
    expect(a.company_links).toEqual({
      items: [
        { system: 'HUDU', external_id: '2' },
        { system: 'HUDU', external_id: '1' },
      ],
      pagination: { has_more: true, next_cursor: expect.any(String) },
    })
    expect(b.company_links.pagination).toEqual({ has_more: false, next_cursor: null })
    const next = (id: string) => `{ end_company(end_company_id: "${id}") {
      company_links(cursor: "${a.company_links.pagination.next_cursor}") { ${links} } } }`
    const rest = await graphql(msp.key, next('a'))
    expect(rest.data.end_company.company_links.items).toEqual([{ system: 'PAX8', external_id: '0' }])
    expect((await graphql(msp.key, next('b'))).code).toBe('invalid_cursor')
    const few = await countStatements(msp.database, () => graphql(msp.key, query))
    await addCompanies(
      msp,
      Array.from({ length: 40 }, (_, n) => ({ id: `n${n}` })),
    )
    expect(await countStatements(msp.database, () => graphql(msp.key, query))).toBe(few)
  })

  it('are not in REST', async () => {
    const msp = await linkedMsp()
    const rest = apis.find(({ name }) => name === 'rest')
    const answer = await rest?.call(msp.key, 'company_links', { system: 'HUDU' })
    expect(Object.keys(answer?.data.links[0])).not.toContain('end_company')
  })
})
