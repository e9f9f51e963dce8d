import { describe, expect, it } from 'vitest'
import { apis } from '../../setup/api.ts'
import { addCompanies, addLinks } from '../../setup/companies.ts'
import { graphql } from '../../setup/graphql.ts'
import { countStatements } from '../../setup/statements.ts'
import { linkedMsp } from './links.ts'

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
      end_company { id company_links(page_size: 5) { items { external_id } } } } }`
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
