import type { AppOptions } from '../../../src/composition/app.ts'
import type { Database } from '../../../src/db/database.ts'
import { type Running, startApp, testApp } from '../../setup/app.ts'
import { testDatabase } from '../../setup/database.ts'
import { json } from '../../setup/http.ts'
import type { Caller } from '../../setup/world.ts'

export const SETTINGS = '/public-api/settings'
/** The statement that leases tokens; its last parameter is the time, or null for the database's. */
const LEASE = 'rate_bucket_lease'
const running: Running[] = []

/** A service of the test's own, with the limits in question low and the others high. */
export async function limited(
  limits: string,
  overrides: Record<string, string> = {},
  database?: Database,
  options: Partial<AppOptions> = {},
): Promise<Running> {
  const high = [
    'service_key',
    'service_key_writes',
    'dashboard_user',
    'dashboard_user_writes',
    'tenant',
    'anonymous_ip',
    'failed_credentials_ip',
    'unknown_credentials_ip',
    'graphql_points',
    'run_now',
    'verify_audit_log',
  ]
  const low = limits.split(',').map((limit) => limit.split('=')[0])
  const rest = high.filter((name) => !low.includes(name)).map((name) => `${name}=1000000`)
  const variables = { LIMITS: [limits, ...rest].join(','), ...overrides }
  const app = await startApp(database ?? (await testDatabase()), variables, undefined, options)
  running.push(app)
  return app
}

/** A service for which no time passes, so that its buckets are never refilled. */
export async function limitedAtOneInstant(limits: string): Promise<Running> {
  const database = await testDatabase()
  const instant = new Date()
  const rows: Database['sql']['rows'] = (statement, values) =>
    database.sql.rows(statement, statement.name === LEASE ? [...values.slice(0, -1), instant] : values)
  return await limited(limits, {}, { ...database, sql: { rows } }, { elapsed: () => 0 })
}

/** Ends the services that a file has started, and what they counted. */
export async function closeLimited(): Promise<void> {
  await Promise.all(running.splice(0).map(({ app }) => app.close(1000)))
  const { database } = await testApp()
  await database.prisma.rateBucket.deleteMany()
}

export const RESPONSE = 'application/graphql-response+json'

export const query = (
  { base }: Running,
  caller: Caller,
  text: string,
  headers: Record<string, string> = { accept: RESPONSE },
) =>
  fetch(
    `${base}/graphql`,
    json({ query: text }, { headers: { authorization: `Bearer ${caller.token}`, ...headers } }),
  )

/** The error, whichever interface answered. */
export async function errorOf(response: Response) {
  const { error, errors } = await response.json()
  return error ?? { message: errors[0].message, ...errors[0].extensions }
}

/** The items of the RateLimit header. */
export const itemsOf = (headers: Headers) =>
  (headers.get('ratelimit') ?? '').split(', ').map((item) => {
    const [, name = '', r, t] = /^"([a-z-]+)";r=(\d+);t=(\d+)$/.exec(item) ?? []
    return { name, r: Number(r), t: Number(t) }
  })

const CONNECTIONS = 40

/** The number of answers with each status, of that many on as many connections as a busy client has. */
export async function countsOf(
  times: number,
  ask: (place: number) => Promise<Response>,
): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  let asked = 0
  const connection = async () => {
    while (asked < times) {
      const response = await ask(asked++)
      await response.text()
      counts.set(response.status, (counts.get(response.status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  return counts
}

export async function statuses(times: number, ask: () => Promise<Response>): Promise<number[]> {
  const seen: number[] = []
  for (let i = 0; i < times; i++) {
    const response = await ask()
    await response.text()
    seen.push(response.status)
  }
  return seen
}
