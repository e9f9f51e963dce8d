import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { apis } from '../setup/api.ts'
import { testApp } from '../setup/app.ts'
import { addCompanies, addLinks } from '../setup/companies.ts'
import { testDatabase } from '../setup/database.ts'
import { type Msp, world } from '../setup/world.ts'
import { type Connection, transact } from './transactions.ts'

const onPostgresql = test.runIf(process.env.DATABASE_URL)

let database: Database

beforeAll(async () => {
  database = await testDatabase()
})

/** The counts of some tenants, by tenant, environment and system; systems without links are left out. */
type Counts = Record<string, { total: number; mapped: number }>

async function keptCounts(tenants: readonly string[]): Promise<Counts> {
  const rows = await database.prisma.companyLinkCount.groupBy({
    by: ['tenant_id', 'environment', 'system'],
    where: { tenant_id: { in: [...tenants] } },
    _sum: { total: true, mapped: true },
  })
  const counts: Counts = {}
  for (const { tenant_id, environment, system, _sum } of rows) {
    const [total, mapped] = [_sum.total ?? 0, _sum.mapped ?? 0]
    if (total !== 0 || mapped !== 0) counts[`${tenant_id} ${environment} ${system}`] = { total, mapped }
  }
  return counts
}

async function countedLinks(tenants: readonly string[]): Promise<Counts> {
  const rows = await database.prisma.companyLink.findMany({ where: { tenant_id: { in: [...tenants] } } })
  const counts: Counts = {}
  for (const { tenant_id, environment, system, confirmed_at, psa_company_id } of rows) {
    if (system === 'SHAREPOINT' && confirmed_at === null) continue
    const key = `${tenant_id} ${environment} ${system}`
    const { total, mapped } = counts[key] ?? { total: 0, mapped: 0 }
    counts[key] = { total: total + 1, mapped: mapped + (psa_company_id === null ? 0 : 1) }
  }
  return counts
}

const SYSTEMS = ['HUDU', 'PAX8', 'SHAREPOINT']

/** Rows that a statement puts in or picks: all that are among these tenants, systems and ids. */
const rows = fc.record({
  tenants: fc.subarray([0, 1], { minLength: 1 }),
  systems: fc.subarray(SYSTEMS, { minLength: 1 }),
  ids: fc.subarray([...'abcdef'], { minLength: 1 }),
})
const state = fc.record({
  company: fc.constantFrom('psa_a', 'psa_b', null),
  confirmed_at: fc.option(fc.constant(new Date('2026-11-20T09:30:00Z'))),
})

const INSERT = `insert into company_link (tenant_id, environment, system, external_id, psa_company_id, confirmed_at,
    created_at, updated_at)
  select tenant, 'test', system, id, $4, $5::timestamptz, now(), now()
  from unnest($1::text[]) tenant, unnest($2::text[]) system, unnest($3::text[]) id`
const UPSERT = `${INSERT} on conflict (tenant_id, environment, system, external_id)
  do update set psa_company_id = excluded.psa_company_id, confirmed_at = excluded.confirmed_at`
const PICKED = 'tenant_id = any($1::text[]) and system = any($2::text[]) and external_id = any($3::text[])'

const TEXTS = {
  put: `${INSERT} on conflict do nothing`,
  replace: UPSERT,
  change: `update company_link set psa_company_id = $4, confirmed_at = $5::timestamptz where ${PICKED}`,
  map: `update company_link set psa_company_id = $4 where ${PICKED}`,
  confirm: `update company_link set confirmed_at = $4::timestamptz where ${PICKED}`,
  rename: `update company_link set external_name = 'Renamed' where ${PICKED}`,
  move: `update company_link set system = system || '_MOVED' where ${PICKED}`,
  remove: `delete from company_link where ${PICKED}`,
} as const
type Kind = keyof typeof TEXTS

const step = fc.record({ kind: fc.constantFrom(...(Object.keys(TEXTS) as Kind[])), rows, state })
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

const history = fc.array(
  fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 4 }), kept: fc.boolean() }),
  { minLength: 1, maxLength: 8 },
)

const VALUES: Partial<Record<Kind, (state: Step['state']) => unknown[]>> = {
  put: ({ company, confirmed_at }) => [company, confirmed_at],
  replace: ({ company, confirmed_at }) => [company, confirmed_at],
  change: ({ company, confirmed_at }) => [company, confirmed_at],
  map: ({ company }) => [company],
  confirm: ({ confirmed_at }) => [confirmed_at],
}

async function take(tx: Connection, tenants: readonly string[], { kind, rows, state }: Step): Promise<void> {
  const own = rows.tenants.map((index) => tenants[index])
  // A row that was moved before may be in the way of one that would be moved now.
  if (kind === 'move') {
    const moved = rows.systems.map((system) => `${system}_MOVED`)
    await tx.$executeRawUnsafe(TEXTS.remove, own, moved, rows.ids)
  }
  await tx.$executeRawUnsafe(TEXTS[kind], own, rows.systems, rows.ids, ...(VALUES[kind]?.(state) ?? []))
}

async function twoTenants(): Promise<[Msp, Msp]> {
  const msps: [Msp, Msp] = [await world(), await world()]
  for (const msp of msps) await addCompanies(msp, [{ id: 'a' }, { id: 'b' }])
  return msps
}

test('counts of links are those of a scan, whatever was put in, changed, moved, deleted and undone', async () => {
  const tenants = (await twoTenants()).map(({ tenant_id }) => tenant_id)
  await fc.assert(
    fc.asyncProperty(history, async (transactions) => {
      for (const { steps, kept } of transactions) {
        await transact(database, kept, async (tx) => {
          for (const each of steps) await take(tx, tenants, each)
        })
        expect(await keptCounts(tenants)).toEqual(await countedLinks(tenants))
      }
    }),
    { numRuns: 12 },
  )
})

onPostgresql('counts of links are those of a scan after histories at once', async () => {
  const tenants = (await twoTenants()).map(({ tenant_id }) => tenant_id)
  // A step for each transaction: whole histories wait for each other's rows in any order, and give up.
  const steps = fc.array(step, { minLength: 4, maxLength: 12 })
  const run = async (each: Step, index: number) => {
    const onlyOne = { ...each, rows: { ...each.rows, ids: [[...'abcdef'][index % 6] as string] } }
    await database.prisma.$transaction((tx) => take(tx, tenants, onlyOne)).catch(lostRace)
  }
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      await Promise.all(all.map(run))
      expect(await keptCounts(tenants)).toEqual(await countedLinks(tenants))
    }),
    { numRuns: 20 },
  )
})

/** A transaction that was in another one's way has changed nothing. */
function lostRace(error: unknown): void {
  if (!/deadlock|conflict|Unique constraint|duplicate key/i.test(String(error))) throw error
}

onPostgresql('twenty mappings at once, in two systems, are all answered and all counted', async () => {
  await testApp()
  const [msp] = await twoTenants()
  const [api] = apis
  const numbers = Array.from({ length: 20 }, (_, number) => number)
  const external_ids = numbers.map((number) => `n${number}`)
  const [even, odd] = ['HUDU', 'SHAREPOINT'] as const
  const systemOf = (number: number) => (number % 2 === 0 ? even : odd)
  await addLinks(
    msp,
    external_ids.map((external_id, number) => ({
      external_id,
      system: systemOf(number),
    })),
  )
  for (const company of ['psa_a', 'psa_b', null, 'psa_a']) {
    const answers = await Promise.all(
      numbers.map((number) =>
        api?.call(msp.admin, 'map_company_link', {
          input: {
            system: systemOf(number),
            external_id: external_ids[number],
            psa_company_id: number % 5 === 0 ? 'psa_b' : company,
            ...(company && { is_primary: number % 3 === 0 }),
          },
        }),
      ),
    )
    expect(answers.map((answer) => answer?.status)).toEqual(numbers.map(() => 200))
    expect(await keptCounts([msp.tenant_id])).toEqual(await countedLinks([msp.tenant_id]))
    for (const system of [even, odd]) {
      const listed = await api?.call(msp.viewer, 'company_links', { system })
      expect(listed?.data.counts.total).toBe(listed?.data.links.length)
    }
  }
})

onPostgresql('a confirmation and mappings of the same links at once are counted once', async () => {
  await testApp()
  const [msp] = await twoTenants()
  const external_ids = Array.from({ length: 20 }, (_, number) => `n${number}`)
  await addLinks(
    msp,
    external_ids.map((external_id) => ({ external_id, system: 'SHAREPOINT', psa_company_id: 'psa_a' })),
  )
  const calls = apis.flatMap((api) => [
    api.call(msp.admin, 'confirm_company_links', { input: { system: 'SHAREPOINT', external_ids } }),
    ...external_ids.slice(0, 8).map((external_id) =>
      api.call(msp.key, 'map_company_link', {
        input: { system: 'SHAREPOINT', external_id, psa_company_id: 'psa_b' },
      }),
    ),
  ])
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 200))
  expect(await keptCounts([msp.tenant_id])).toEqual({
    [`${msp.tenant_id} test SHAREPOINT`]: { total: 20, mapped: 20 },
  })
})
