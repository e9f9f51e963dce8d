/** `npm run bench`: this service beside a hand-written one on the same data, as ratios measured in one run. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ENVIRONMENT, KEY_PEPPER, prepare, SYSTEM } from './data.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    scale: { type: 'string', default: '1' },
  },
})
const here = import.meta.dirname
if (!existsSync(`${here}/node_modules`)) {
  execFileSync('npm', ['ci', '--prefix', here, '--no-audit', '--no-fund'], { stdio: 'inherit' })
}
const { default: autocannon } = await import('autocannon')
const { databaseCpu, start } = await import('./contender.ts')

const server = process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres'
const rounds = values.quick ? 5 : 9
const seconds = values.quick ? 3 : 8
const CONNECTIONS = 8

console.log('Preparing the data …')
const { database_url, key } = await prepare(server, Number(values.scale))
const limits = [
  'service_key',
  'service_key_writes',
  'tenant',
  'graphql_points',
  'anonymous_ip',
  'dashboard_user',
]
const shared = { DATABASE_URL: database_url, KEY_PEPPER, PORT: '0', NODE_ENV: 'test' }
const floor = { ...shared, SECRET: 'the secret of the floor' }
const service = {
  ...shared,
  ENVIRONMENT,
  SIGNING_SECRETS: 'the signing secret of the benchmark',
  DB_POOL_SIZE: '4',
  LOG_LEVEL: 'info',
  DEMO_DATA: 'false',
  LIMITS: limits.map((name) => `${name}=1000000000`).join(','),
}
const hand = await start('hand-written', `${here}/floor.ts`, floor)
const again = await start('hand-written again (A/A)', `${here}/floor.ts`, floor)
const ours = await start('this service', `${here}/../src/main.ts`, service)

const LINKS = `/public-api/company-links?system=${SYSTEM}&page_size=50`
const QUERY = `query Links($system: CompanyLinkSystem!) { company_links(system: $system, page_size: 50) {
  links { system external_id external_name psa_company_id psa_company_name link_state match_method confidence
    is_primary mapped_by mapped_at needs_review }
  counts { total mapped unmapped } pagination { next_cursor has_more } } }`
const post = (query: string, variables: object) => ({
  path: '/graphql',
  method: 'POST' as const,
  body: JSON.stringify({ query, variables }),
})
const SETTINGS = '/public-api/settings'
const SETTINGS_QUERY = `{ settings { data_residency referral_code start_business_hours end_business_hours
  human_friendly_client_name sleep_before_callback_processing_seconds timezone } }`

interface Read {
  name: string
  floor: { path: string }
  asked: { who: typeof ours; label: string; request: { path: string; method?: 'POST'; body?: string } }[]
  goal?: number
}

const reads: Read[] = [
  {
    name: 'company links: a page of 50 and counts',
    floor: { path: LINKS },
    goal: 0.7,
    asked: [
      { who: ours, label: 'this service, REST', request: { path: LINKS } },
      { who: ours, label: 'this service, GraphQL', request: post(QUERY, { system: SYSTEM }) },
      { who: again, label: again.name, request: { path: LINKS } },
    ],
  },
  {
    name: 'settings: one row',
    floor: { path: SETTINGS },
    asked: [
      { who: ours, label: 'this service, REST', request: { path: SETTINGS } },
      { who: ours, label: 'this service, GraphQL', request: post(SETTINGS_QUERY, {}) },
      { who: again, label: again.name, request: { path: SETTINGS } },
    ],
  },
]

interface Measured {
  rate: number
  p50: number
  p99: number
  app_ms: number
  db_ms: number
}

async function load(
  who: typeof ours,
  request: { path: string; method?: 'POST'; body?: string },
  duration: number,
) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const [app, db] = [who.cpu(), databaseCpu()]
  const { path, ...rest } = request
  const result = await autocannon({
    url: who.base + path,
    ...rest,
    headers,
    connections: CONNECTIONS,
    duration,
  })
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${who.name} answered ${path} with errors`)
  const count = result.requests.total
  const measured: Measured = {
    rate: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
    app_ms: ((who.cpu() - app) / count) * 1000,
    db_ms: ((databaseCpu() - db) / count) * 1000,
  }
  return measured
}

const median = (numbers: number[]): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

const ratio = (value: number): string => value.toFixed(2)
let missed = false

for (const read of reads) {
  const contenders = [{ who: hand, label: hand.name, request: read.floor }, ...read.asked]
  for (const { who, request } of contenders) await load(who, request, 2)
  const all = new Map<string, Measured[]>(contenders.map(({ label }) => [label, []]))
  for (let round = 0; round < rounds; round++) {
    for (const { who, label, request } of round % 2 ? contenders.toReversed() : contenders) {
      all.get(label)?.push(await load(who, request, seconds))
    }
  }
  const base = all.get(hand.name) ?? []
  const against = (label: string, of: (measured: Measured) => number) =>
    (all.get(label) ?? []).map((measured, round) => of(measured) / of(base[round] ?? measured))
  console.log(`\n### ${read.name}\n`)
  console.log('| contender | requests/s | p50 | p99 | CPU | CPU of the database |')
  console.log('|---|---|---|---|---|---|')
  for (const { label } of contenders) {
    const rates = against(label, ({ rate }) => rate)
    const cells = [
      ({ p50 }: Measured) => p50,
      ({ p99 }: Measured) => p99,
      ({ app_ms }: Measured) => app_ms,
      ({ db_ms }: Measured) => db_ms,
    ]
    const spread = `${ratio(median(rates))} [${ratio(Math.min(...rates))}..${ratio(Math.max(...rates))}]`
    console.log(
      `| ${[label, spread, ...cells.map((cell) => ratio(median(against(label, cell))))].join(' | ')} |`,
    )
  }
  const noise = Math.abs(1 - median(against(again.name, ({ rate }) => rate)))
  const reached = median(against('this service, REST', ({ rate }) => rate))
  if (read.goal)
    console.log(`\nGoal over REST: ${read.goal}; reached: ${ratio(reached)}; noise: ${ratio(noise)}.`)
  if (read.goal && reached < read.goal - noise) missed = true
}

for (const { stop } of [hand, again, ours]) stop()
if (values.check && missed) process.exitCode = 1
