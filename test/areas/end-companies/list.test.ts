import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Answer, describeApi, walk } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addCompanies, addLinks, byteOrder, searchable } from '../../setup/companies.ts'
import { countStatements } from '../../setup/statements.ts'
import { days, world } from '../../setup/world.ts'

const ids = ({ data }: Answer): string[] => data.map(({ id }: { id: string }) => id)

describeApi('end companies', (api) => {
  it('answer every field, alone and in the list', async () => {
    const msp = await world()
    await addCompanies(msp, [
      {
        id: 'a',
        name: 'Acme',
        in_scope: false,
        status: 'INACTIVE',
        domains: ['acme.test', 'acme.example'],
        workplace_tenant_id: 'wt_1',
        is_vip: true,
        end_user_count: 7,
        last_synced_at: new Date('2026-03-01T10:00:00Z'),
      },
      { id: 'b', name: 'Bolt' },
    ])
    const acme = {
      id: 'a',
      psa_company_id: 'psa_a',
      name: 'Acme',
      in_scope: false,
      status: 'INACTIVE',
      domains: ['acme.test', 'acme.example'],
      workplace_tenant_id: 'wt_1',
      is_vip: true,
      link_count: 0,
      end_user_count: 7,
      last_synced_at: '2026-03-01T10:00:00.000Z',
      revision: 1,
    }
    const bolt = {
      id: 'b',
      psa_company_id: 'psa_b',
      name: 'Bolt',
      in_scope: true,
      status: 'ACTIVE',
      domains: [],
      workplace_tenant_id: null,
      is_vip: false,
      link_count: 0,
      end_user_count: 0,
      last_synced_at: null,
      revision: 1,
    }
    const list = await api.call(msp.key, 'end_companies')
    expect([list.data, list.pagination]).toEqual([[acme, bolt], { next_cursor: null, has_more: false }])
    const one = await api.call(msp.viewer, 'end_company', { end_company_id: 'a' })
    expect([one.status, one.data]).toEqual([200, acme])
  })

  it.each([
    ['Cafe\u0301 Central', 'CAFÉ'],
    ['Café Central', 'cafe\u0301 central'],
    ['ＢＬＵＥ　Ｌａｂｓ', 'blue labs'],
    ['Blue Labs', 'ｂｌｕｅ'],
    ['Åkesson & Söner Entreprenad', 'A\u030akesson & So\u0308ner entreprenad'],
    ['50 % Off', '％'],
  ])('%j is found by %j', async (name, search) => {
    const msp = await world()
    await addCompanies(msp, [
      { id: 'a', name },
      { id: 'b', name: 'Bolt' },
    ])
    expect(ids(await api.call(msp.key, 'end_companies', { search }))).toEqual(['a'])
  })

  it('count the links that are listed, of every system', async () => {
    const msp = await world()
    await addCompanies(msp, [{ id: 'a' }, { id: 'b' }])
    await addLinks(msp, [
      { external_id: '1', psa_company_id: 'psa_a' },
      { external_id: '2', psa_company_id: 'psa_a', system: 'PAX8' },
      { external_id: '3', psa_company_id: 'psa_a', system: 'SHAREPOINT' },
      { external_id: '4', psa_company_id: 'psa_b' },
      { external_id: '5' },
    ])
    const { data } = await api.call(msp.key, 'end_companies')
    expect(data.map(({ link_count }: { link_count: number }) => link_count)).toEqual([2, 1])
    const one = await api.call(msp.key, 'end_company', { end_company_id: 'a' })
    expect(one.data.link_count).toBe(2)
  })

  it.each([
    [{}, ['a', 'b', 'c', 'd']],
    [{ in_scope: true }, ['a', 'c']],
    [{ in_scope: false }, ['b', 'd']],
    [{ workplace_mapped: true }, ['b', 'c']],
    [{ workplace_mapped: false }, ['a', 'd']],
    [{ in_scope: true, workplace_mapped: true }, ['c']],
    [{ search: 'CAFÉ' }, ['c']],
    [{ search: '%' }, ['a']],
    [{ search: '_' }, ['b']],
    [{ search: '\\' }, ['d']],
    [{ search: 'nothing' }, []],
    [{ search: ' x ' }, ['a', 'b', 'd']],
    [{ psa_company_id: 'psa_b' }, ['b']],
    [{ psa_company_id: 'psa_b', in_scope: true }, []],
    [{ psa_company_id: 'b' }, []],
    [{ psa_company_id: '' }, []],
    [{ status: ['INACTIVE'] }, ['d']],
    [{ status: ['ACTIVE'], in_scope: false }, ['b']],
    [{ status: ['INACTIVE', 'ACTIVE', 'ACTIVE'] }, ['a', 'b', 'c', 'd']],
  ])('filtered by %j are %j', async (filters, expected) => {
    const msp = await world()
    await addCompanies(msp, [
      { id: 'a', name: 'ax 1%' },
      { id: 'b', name: 'Bx_2', in_scope: false, workplace_tenant_id: 'wt_b' },
      { id: 'c', name: 'café', workplace_tenant_id: 'wt_c' },
      { id: 'd', name: 'Dx\\4', in_scope: false, status: 'INACTIVE' },
    ])
    expect(ids(await api.call(msp.user, 'end_companies', filters))).toEqual(expected)
  })

  it('are all visited once, in order, by walking pages of any size with any filters', async () => {
    const msp = await world()
    const company = fc.record({
      id: fc.string({ unit: fc.constantFrom(...'aAéЯ1%'), minLength: 1, maxLength: 4 }),
      name: fc.string({ unit: fc.constantFrom(...'aAbéÉñÑяЯ日%_\\0'), minLength: 1, maxLength: 2 }),
      in_scope: fc.boolean(),
      status: fc.constantFrom('ACTIVE' as const, 'INACTIVE' as const),
      mapped: fc.boolean(),
    })
    const companies = fc.uniqueArray(company, { selector: ({ id }) => id, maxLength: 25 })
    const filters = fc.record(
      {
        psa_company_id: fc.constantFrom('psa_a', 'psa_1'),
        status: fc.subarray(['ACTIVE', 'INACTIVE'], { minLength: 1 }),
        in_scope: fc.boolean(),
        workplace_mapped: fc.boolean(),
        search: fc.constantFrom('a', 'É', '%', '_', '\\', '日'),
        page_size: fc.integer({ min: 1, max: 9 }),
      },
      { requiredKeys: ['page_size'] },
    )
    await fc.assert(
      fc.asyncProperty(companies, filters, async (given, args) => {
        await msp.database.prisma.endCompany.deleteMany({ where: { tenant_id: msp.tenant_id } })
        await addCompanies(
          msp,
          given.map(({ mapped, ...row }) => ({
            ...row,
            workplace_tenant_id: mapped ? `wt_${row.id}` : null,
          })),
        )
        const { psa_company_id, status, in_scope, workplace_mapped, search } = args
        const expected = given
          .filter((row) => !psa_company_id || `psa_${row.id}` === psa_company_id)
          .filter((row) => !status || status.includes(row.status))
          .filter((row) => in_scope === undefined || row.in_scope === in_scope)
          .filter((row) => workplace_mapped === undefined || row.mapped === workplace_mapped)
          .filter((row) => !search || searchable(row.name).includes(searchable(search)))
          .sort((a, b) => byteOrder(searchable(a.name), searchable(b.name)) || byteOrder(a.id, b.id))
          .map(({ id }) => id)
        const pages = await walk((cursor) => api.call(msp.key, 'end_companies', { ...args, ...cursor }))
        expect(pages.flatMap(ids)).toEqual(expected)
        expect(pages.slice(0, -1).every(({ data }) => data.length === args.page_size)).toBe(true)
      }),
      { numRuns: 25 },
    )
  })

  it('cost as many statements for 200 rows as for 5', async () => {
    const msp = await world()
    await addCompanies(
      msp,
      Array.from({ length: 200 }, (_, n) => ({ id: `n${n}` })),
    )
    const cost = (page_size: number) =>
      countStatements(msp.database, () => api.call(msp.key, 'end_companies', { page_size }))
    await cost(1)
    const five = await cost(5)
    expect([await cost(200), five > 0]).toEqual([five, true])
  })

  it.each([
    [{ page_size: 0 }, 'page_size', 'range'],
    [{ page_size: 201 }, 'page_size', 'range'],
    [{ page_size: 'ten' }, 'page_size', 'type'],
    [{ in_scope: 'maybe' }, 'in_scope', 'type'],
    [{ workplace_mapped: 1 }, 'workplace_mapped', 'type'],
    [{ status: ['active'] }, 'status.0', 'enum'],
    [{ status: ['ACTIVE', 'GONE'] }, 'status.1', 'enum'],
    [{ search: '' }, 'search', 'length'],
    [{ search: 'x'.repeat(201) }, 'search', 'length'],
  ])('refuse %j with 422', async (args, field, code) => {
    const msp = await world()
    const { status, error } = await api.call(msp.key, 'end_companies', args)
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors).toMatchObject([{ field, location: 'query', code }])
  })

  it('refuse a cursor of other filters, of another list, of another tenant, tampered or expired', async () => {
    const msp = await world()
    const other = await world()
    await addCompanies(msp, [{ id: 'a' }, { id: 'b' }])
    const { pagination } = await api.call(msp.key, 'end_companies', { page_size: 1 })
    const cursor = pagination?.next_cursor ?? ''
    const refused = [
      await api.call(msp.key, 'end_companies', { cursor, in_scope: true }),
      await api.call(msp.key, 'end_companies', { cursor, workplace_mapped: false }),
      await api.call(msp.key, 'end_companies', { cursor, status: ['ACTIVE'] }),
      await api.call(msp.key, 'end_companies', { cursor, psa_company_id: 'psa_a' }),
      await api.call(msp.key, 'company_links', { cursor, system: 'HUDU' }),
      await api.call(other.key, 'end_companies', { cursor }),
      await api.call(msp.key, 'end_companies', { cursor: `${cursor}A` }),
    ]
    clock.advance(days(1) + 1)
    refused.push(await api.call(await msp.newKey(), 'end_companies', { cursor }))
    expect(refused.map(({ status, error }) => [status, error?.code, error?.details.reason])).toEqual([
      ...Array(4).fill([400, 'invalid_cursor', 'FILTERS_CHANGED']),
      ...Array(3).fill([400, 'invalid_cursor', 'MALFORMED']),
      [400, 'invalid_cursor', 'EXPIRED'],
    ])
  })

  it('of another tenant or environment are not there', async () => {
    const msp = await world()
    const other = await world()
    await addCompanies(other, [{ id: 'theirs' }])
    await addCompanies({ ...msp, environment: 'elsewhere' }, [{ id: 'elsewhere' }])
    expect(ids(await api.call(msp.key, 'end_companies'))).toEqual([])
    const answers = await Promise.all(
      ['theirs', 'elsewhere', 'nowhere', '\u0000', 'x'.repeat(300)].map((end_company_id) =>
        api.call(msp.key, 'end_company', { end_company_id }),
      ),
    )
    for (const { status, error } of answers) {
      expect([status, error]).toMatchObject([404, { code: 'end_company_not_found' }])
      expect(error?.message).toBe(answers[0]?.error?.message)
    }
    expect(answers.map(({ error }) => error?.details.id)).toEqual([
      'theirs',
      'elsewhere',
      'nowhere',
      '\ufffd',
      'x'.repeat(200),
    ])
  })

  it('are read with the scope and by every role', async () => {
    const msp = await world()
    await addCompanies(msp, [{ id: 'a' }])
    const key = await msp.newKey({ scopes: ['end_companies:read'] })
    for (const caller of [msp.owner, msp.admin, msp.user, msp.viewer, key]) {
      expect((await api.call(caller, 'end_companies')).status).toBe(200)
    }
    const wrong = await msp.newKey({ scopes: ['integrations:read'] })
    const refused = [
      await api.call(wrong, 'end_companies'),
      await api.call(wrong, 'end_company', { end_company_id: 'a' }),
    ]
    expect(refused.map(({ status, error }) => [status, error?.code])).toEqual(
      Array(2).fill([403, 'insufficient_scope']),
    )
  })
})
