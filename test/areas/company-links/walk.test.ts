import fc from 'fast-check'
import { expect, it } from 'vitest'
import { describeApi, walk } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addCompanies, addLinks, byteOrder, searchable } from '../../setup/companies.ts'
import { world } from '../../setup/world.ts'
import { ids, list, type Row } from './links.ts'

describeApi('company links', (api) => {
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
        const sortName = (row: Row) => searchable(row.external_name ?? row.external_id)
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
        const pages = await walk((cursor) => list(api, msp.key, { system: 'SHAREPOINT', ...args, ...cursor }))
        expect(pages.flatMap(ids)).toEqual(expected)
        expect(pages.slice(0, -1).every((page) => page.data.links.length === args.page_size)).toBe(true)
        const mapped = counted.filter(isMapped).length
        const counts = { total: counted.length, mapped, unmapped: counted.length - mapped }
        for (const { data } of pages) expect(data.counts).toEqual(counts)
      }),
      { numRuns: 25 },
    )
  })
})
