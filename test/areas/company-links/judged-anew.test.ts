/** Links of customers after whatever has happened in both systems: as if all had been so from the beginning. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { RESOLVE_LINKS } from '../../../src/areas/company-links/index.ts'
import { READ_PAGE } from '../../../src/areas/integration-syncs/declared.ts'
import type { PsaDirectoryCompany } from '../../../src/connectors/psa.ts'
import { type Api, apis } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { performWaiting, withPsa } from '../../setup/due.ts'
import { type Msp, world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'

beforeAll(installQueues)

const PSA = 'connectwise-psa'
const SYSTEMS = ['auvik', 'sophos-central'] as const
const NAMES = [
  'Acorn Freight',
  'ACORN FREIGHT, Inc.',
  'Bluebell Web',
  'Blue Bell Web',
  'Penrose Consulting',
  'Penrose',
  'Zenith Roofing LLC',
  'Zenith Roofing',
]
const DOMAINS = ['acorn.com', 'bluebell.com', 'penrose.com']
const ASSETS = ['ws-1', 'ws-2', 'ws-3', 'ws-4']

type System = (typeof SYSTEMS)[number]
type Company = Pick<PsaDirectoryCompany, 'name' | 'domains' | 'is_active'>
interface Customer {
  name: string | null
  domains: string[]
  asset_names: string[]
}

/** The companies and customers of both sides, by id. */
interface State {
  companies: ReadonlyMap<string, Company>
  customers: Readonly<Record<System, ReadonlyMap<string, Customer>>>
}

type Change =
  | { kind: 'company'; id: string; company: Company | null }
  | { kind: 'merged'; from: string; into: string }
  | { kind: 'customer'; system: System; id: string; customer: Customer | null }
  | { kind: 'mapped'; system: System; id: string; company: string }
  | { kind: 'read'; system: System | null; is_full: boolean }

const name = fc.constantFrom(...NAMES)
const id = fc.constantFrom('1', '2', '3')
const system = fc.constantFrom(...SYSTEMS)
const domains = fc.subarray(DOMAINS, { maxLength: 1 })

const company = fc.record({ name, domains, is_active: fc.boolean() })
const customer = fc.record({
  name: fc.option(name, { freq: 8 }),
  domains,
  asset_names: fc.constantFrom<string[]>([], ASSETS),
})

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('company' as const), id, company: fc.option(company) }),
  fc.record({ kind: fc.constant('merged' as const), from: id, into: id }),
  fc.record({ kind: fc.constant('customer' as const), system, id, customer: fc.option(customer) }),
  fc.record({ kind: fc.constant('mapped' as const), system, id, company: id }),
  fc.record({ kind: fc.constant('read' as const), system: fc.option(system), is_full: fc.boolean() }),
)

function after(state: State, change: Change): State {
  const companies = new Map(state.companies)
  if (change.kind === 'company') {
    companies.delete(change.id)
    if (change.company) companies.set(change.id, change.company)
  }
  if (change.kind === 'merged' && change.from !== change.into) {
    const [from, into] = [companies.get(change.from), companies.get(change.into)]
    if (from && into)
      companies.set(change.into, { ...into, domains: [...(into.domains ?? []), ...(from.domains ?? [])] })
    if (into) companies.delete(change.from)
  }
  if (change.kind !== 'customer') return { ...state, companies }
  const customers = new Map(state.customers[change.system])
  customers.delete(change.id)
  if (change.customer) customers.set(change.id, change.customer)
  return { companies, customers: { ...state.customers, [change.system]: customers } }
}

async function connected(): Promise<Msp> {
  const msp = await world()
  const { tenant_id, environment } = msp
  const row = { tenant_id, environment, updated_at: clock.now() }
  await msp.database.prisma.integrationConnection.create({ data: { ...row, name: PSA, connected: true } })
  return msp
}

/** Does what waits, with the PSA as it is. */
async function perform(msp: Msp, { companies }: State): Promise<void> {
  const rows = [...companies].map(([psa_company_id, one]) => ({ ...one, psa_company_id, attributes: {} }))
  const services = await withPsa(() => ({ companyPage: async () => ({ rows, next: null }) }))
  const work = async () =>
    (await performWaiting(msp, READ_PAGE.name, { services })) +
    (await performWaiting(msp, RESOLVE_LINKS.name, { services }))
  while ((await work()) > 0);
}

/** Reads a side as it is: a system's customers are put, or the PSA is synced. */
async function read(api: Api, msp: Msp, state: State, of: System | null, is_full = true): Promise<void> {
  const { status } =
    of === null
      ? await api.call(msp.admin, 'sync_integration', { name: PSA, input: { is_full } })
      : await api.call(msp.admin, 'put_integration_customers', {
          name: of,
          input: {
            customers: [...state.customers[of]].map(([external_id, { name: own, ...one }]) => ({
              external_id,
              ...(own !== null && { name: own }),
              ...one,
            })),
          },
        })
  expect(status).toBe(200)
  await perform(msp, state)
}

const systemOf = (of: System) => of.toUpperCase().replaceAll('-', '_')

const linksOf = async ({ database, tenant_id }: Msp) => {
  const links = await database.prisma.companyLink.findMany({
    where: { tenant_id },
    orderBy: [{ system: 'asc' }, { external_id: 'asc' }],
  })
  return links.map((link) => ({
    link: `${link.system}/${link.external_id}`,
    names: [link.external_name, link.psa_company_name],
    psa_company_id: link.psa_company_id,
    state: link.link_state,
    found: [link.match_method, link.confidence],
    judged: link.link_state === 'MANUAL' || [link.mapped_external_name, link.mapped_company_name],
  }))
}

const EMPTY: State = {
  companies: new Map(),
  customers: { auvik: new Map(), 'sophos-central': new Map() },
}

/** An MSP in which all has been as it is now from the beginning, with what persons chose in the other. */
async function freshWith(api: Api, { database, tenant_id }: Msp, state: State): Promise<Msp> {
  const fresh = await connected()
  const own = { tenant_id: fresh.tenant_id }
  await read(api, fresh, state, null)
  const gone = await database.prisma.endCompany.findMany({
    where: { tenant_id, missing_since: { not: null } },
  })
  await database.prisma.endCompany.createMany({
    data: gone.map(({ sort_name: _, ...row }) => ({ ...row, ...own })),
  })
  const chosen = await database.prisma.companyLink.findMany({ where: { tenant_id, link_state: 'MANUAL' } })
  await database.prisma.companyLink.createMany({
    data: chosen.map(({ hidden: _h, mapped: _m, sort_name: _s, needs_review: _n, ...row }) => ({
      ...row,
      ...own,
    })),
  })
  for (const of of [...SYSTEMS, null]) await read(api, fresh, state, of)
  return fresh
}

describe('any sequence of renames, merges, deletions and syncs in both systems', () => {
  it.each(apis)('leaves links as a fresh resolution makes them ($name)', async (api) => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 4, maxLength: 14 }), async (changes) => {
        const msp = await connected()
        let state = EMPTY
        for (const one of changes) {
          state = after(state, one)
          if (one.kind === 'read') await read(api, msp, state, one.system, one.is_full)
          if (one.kind === 'mapped') {
            const input = { system: systemOf(one.system), external_id: one.id, psa_company_id: one.company }
            expect([200, 404]).toContain((await api.call(msp.admin, 'map_company_link', { input })).status)
          }
        }
        for (const of of [null, ...SYSTEMS]) await read(api, msp, state, of)
        const found = await linksOf(msp)
        expect(await linksOf(await freshWith(api, msp, state))).toEqual(found)
      }),
      { numRuns: 8 },
    )
  })
})
