import { describe, expect, it } from 'vitest'
import { type Customer, replaceCustomers } from '../../../src/areas/company-links/customers.ts'
import { findLinksOfPage } from '../../../src/areas/company-links/resolution/pages.ts'
import { inTransaction } from '../../../src/db/transaction.ts'
import { serviceContext } from '../../../src/jobs/service-context.ts'
import { testApp } from '../../setup/app.ts'
import { times } from '../../setup/at-once.ts'
import { addCompanies, addLinks } from '../../setup/companies.ts'
import { playModel } from '../../setup/model.ts'
import { raised } from '../../setup/raised.ts'
import { type Msp, world } from '../../setup/world.ts'

const customer = (external_id: string, name: string, more: Partial<Customer> = {}): Customer => ({
  external_id,
  name,
  domains: [],
  asset_names: [],
  ...more,
})

const CUSTOMERS = [
  customer('1', 'ACORN FREIGHT, Inc.'),
  customer('2', 'Bluebell Web', { domains: ['penrose.com'] }),
  customer('3', 'Default Site'),
]

async function companiesMsp(): Promise<Msp> {
  const msp = await world()
  await addCompanies(msp, [
    { id: 'a', name: 'Acorn Freight' },
    { id: 'b', name: 'Penrose Consulting', domains: ['penrose.com'] },
  ])
  return msp
}

async function resolveFor(
  { tenant_id, environment }: Msp,
  customers: readonly Customer[],
  system: 'HUDU' | 'NINJAONE' | 'SHAREPOINT' = 'HUDU',
) {
  const { services } = (await testApp()).app
  const ctx = serviceContext(services, 'company-links.resolve', 'req_resolve', { tenant_id, environment })
  const signal = AbortSignal.timeout(60_000)
  await inTransaction(ctx, 60_000, () => replaceCustomers(ctx, system, customers, true))
  const range = { only: system, after: null, asks_model: true }
  const found = await findLinksOfPage({ ...ctx, services, signal, log: services.log }, range)
  return await inTransaction(ctx, 60_000, async () => await found?.store(ctx))
}

const linksOf = async ({ database, tenant_id }: Msp, system = 'HUDU') => {
  const links = await database.prisma.companyLink.findMany({
    where: { tenant_id, system },
    orderBy: { external_id: 'asc' },
  })
  return links.map((link) => [
    link.external_id,
    link.psa_company_id,
    link.link_state,
    link.match_method,
    link.confidence,
  ])
}

const FOUND = [
  ['1', 'psa_a', 'AUTO', 'EXACT_NAME', 0.98],
  ['2', 'psa_b', 'AUTO', 'DOMAIN', 0.85],
  ['3', null, 'UNMAPPED', 'UNMATCHED', 0],
]

describe('resolving the customers of an integration', () => {
  it('stores their links, and says how many', async () => {
    const msp = await companiesMsp()
    expect(await resolveFor(msp, CUSTOMERS)).toEqual({ added: 3, changed: 0 })
    expect(await linksOf(msp)).toEqual(FOUND)
    expect(await resolveFor(msp, CUSTOMERS)).toEqual({ added: 0, changed: 0 })
    const renamed = CUSTOMERS.map((one) => (one.external_id === '2' ? { ...one, name: 'Blue' } : one))
    expect(await resolveFor(msp, renamed)).toEqual({ added: 0, changed: 1 })
    expect(await raised(msp, 'company_link.needs_review')).toMatchObject([
      { entity_id: 'HUDU/2', data: { psa_company_id: 'psa_b', match_method: 'DOMAIN', confidence: 0.85 } },
    ])
  })

  it('twice at once stores what it does alone', async () => {
    const msp = await companiesMsp()
    await times(() => resolveFor(msp, CUSTOMERS), 4)
    expect(await linksOf(msp)).toEqual(FOUND)
  })

  it('keeps the company that a person chose, and takes the new name of its customer', async () => {
    const msp = await companiesMsp()
    const chosen = {
      psa_company_id: 'psa_b',
      link_state: 'MANUAL',
      match_method: 'MANUAL',
      confidence: 1,
    } as const
    await addLinks(msp, [{ external_id: '1', ...chosen }])
    expect(await resolveFor(msp, CUSTOMERS)).toMatchObject({ added: 2, changed: 0 })
    expect(await linksOf(msp)).toEqual([['1', 'psa_b', 'MANUAL', 'MANUAL', 1], ...FOUND.slice(1)])
    const { tenant_id } = msp
    const link = await msp.database.prisma.companyLink.findFirst({ where: { tenant_id, external_id: '1' } })
    expect(link?.external_name).toBe('ACORN FREIGHT, Inc.')
  })

  it('leaves of an AUTO link what is found now', async () => {
    const msp = await companiesMsp()
    await addLinks(msp, [
      { external_id: '1', external_name: 'ACORN FREIGHT, Inc.', psa_company_id: 'psa_b' },
      { external_id: '2', external_name: 'Bluebell Web', psa_company_id: 'psa_a', is_primary: true },
      { external_id: '3', external_name: 'Default Site', psa_company_id: 'psa_a', is_primary: true },
    ])
    expect(await resolveFor(msp, CUSTOMERS)).toMatchObject({ added: 0, changed: 3 })
    expect(await linksOf(msp)).toEqual(FOUND)
    const { tenant_id, database } = msp
    expect(await database.prisma.companyLink.count({ where: { tenant_id, is_primary: true } })).toBe(0)
  })

  it('learns from what a person chose for the name in another integration', async () => {
    const msp = await companiesMsp()
    const chosen = {
      psa_company_id: 'psa_b',
      link_state: 'MANUAL',
      match_method: 'MANUAL',
      confidence: 1,
    } as const
    await addLinks(msp, [{ external_id: 'x', external_name: 'Quarry Lane School', ...chosen }])
    await resolveFor(msp, [customer('9', 'QUARRY LANE SCHOOL')], 'NINJAONE')
    expect(await linksOf(msp, 'NINJAONE')).toEqual([['9', 'psa_b', 'AUTO', 'LEARNED_MANUAL', 0.97]])
  })

  it('lists no folder that nobody has confirmed', async () => {
    const msp = await companiesMsp()
    await resolveFor(msp, CUSTOMERS, 'SHAREPOINT')
    const { database, tenant_id } = msp
    const hidden = await database.prisma.companyLink.count({
      where: { tenant_id, system: 'SHAREPOINT', hidden: true },
    })
    expect(hidden).toBe(3)
  })

  it('asks the model about customers that no other rung settled, and stores no company of another tenant', async () => {
    const msp = await companiesMsp()
    const server = await playModel([
      {
        calls: [
          { tool: 'report_matches', args: { matches: [{ customer: 0, company: 0, confidence: 0.99 }] } },
        ],
      },
    ])
    await resolveFor(msp, [...CUSTOMERS, customer('4', 'Penrose Marine Rescue')])
    expect(server.asked).toHaveLength(1)
    expect((await linksOf(msp)).at(-1)).toEqual(['4', 'psa_b', 'AUTO', 'LLM', 0.9])
  })

  it('goes on without the model if it fails', async () => {
    const msp = await companiesMsp()
    await playModel([{ status: 401 }])
    await resolveFor(msp, [...CUSTOMERS, customer('4', 'Penrose Marine Rescue')])
    expect((await linksOf(msp)).at(-1)).toEqual(['4', null, 'UNMAPPED', 'UNMATCHED', 0])
  })
})
