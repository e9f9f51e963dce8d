/** What is asked of everybody, in words that no interface knows. */
import { connected } from './data/databases.ts'
import { EXECUTIONS, LINKS, SYSTEMS, type Tenant, tenants } from './data/tenants.ts'

/** One HTTP request of a caller. */
export interface Request {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  body?: string
  key: string
  /** Sent with an `Idempotency-Key`, a new one each time. */
  idempotent?: boolean
}

/** A page of a list that comes after so many pages of this size. */
interface Skip {
  pages: number
  size: number
}

export type Question =
  | { read: 'R1'; tenant: Tenant; system: string; page_size: number; search?: string; skip: Skip }
  | { read: 'R2'; tenant: Tenant; execution_id: string }
  | { read: 'R3'; tenant: Tenant; from: string; to: string }
  | { read: 'R4'; tenant: Tenant; page_size: number; skip: Skip }
  | { read: 'W1' | 'W2'; tenant: Tenant; sleep_seconds: number }
  | { read: 'key'; tenant: Tenant }

export type Read = Question['read']

const NONE: Skip = { pages: 0, size: 0 }
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const WINDOW_DAYS = 30
const EXECUTIONS_ASKED = 2_000

type Ids = readonly { tenant_id: string; execution_id: string }[]

// Any order that has nothing to do with how they are stored.
const SOME_EXECUTIONS = `
  select e.tenant_id, e.execution_id
  from execution e join agent a on (a.tenant_id, a.environment, a.id) = (e.tenant_id, e.environment, e.agent_id)
  where a.created_by_user_id = 'usr_user' or exists (
    select from agent_share s where (s.tenant_id, s.environment, s.agent_id, s.user_id)
      = (a.tenant_id, a.environment, a.id, 'usr_user'))
  order by md5(e.execution_id || 'asked') limit ${EXECUTIONS_ASKED}`

const tenantWith = (id: string): Tenant => {
  const tenant = tenants.find((one) => one.id === id)
  if (!tenant) throw new Error(`${id} is not in the data`)
  return tenant
}

/** The first pages of every list, and for each tenant a page nine tenths into one of them. */
function linkPages(scale: number): Question[] {
  const list = { read: 'R1', page_size: 50 } as const
  const first = tenants.flatMap((tenant) =>
    SYSTEMS.map((system) => ({ ...list, tenant, system, skip: NONE })),
  )
  const skip = { pages: Math.floor((LINKS * scale * 0.9) / 200), size: 200 }
  const deep = tenants.map((tenant, index) => ({ ...list, tenant, system: SYSTEMS[index] ?? 'HUDU', skip }))
  return [...first, ...deep]
}

/** Windows of thirty days that begin and end in the middle of a day. */
function windows(latest: Date): Question[] {
  return tenants.flatMap((tenant) =>
    [0, 1, 2, 3, 4].map((step): Question => {
      const to = latest.getTime() - step * 9 * DAY_MS - (7 + step) * HOUR_MS - 13 * 60_000
      const from = to - WINDOW_DAYS * DAY_MS
      return { read: 'R3', tenant, from: new Date(from).toISOString(), to: new Date(to).toISOString() }
    }),
  )
}

const VALUES = 200

/** Changes of one setting, to other values from one to the next: what is stored already would not be written. */
const changes = (read: 'W1' | 'W2'): Question[] =>
  Array.from({ length: VALUES }, (_, index) => index + 1).flatMap((sleep_seconds) =>
    tenants.map((tenant): Question => ({ read, tenant, sleep_seconds })),
  )

/** One link in the middle of everything, whose whole name is looked for. */
const NAMED = `select external_name from company_link
  where tenant_id = '${tenants[0]?.id}' and system = 'HUDU' and external_id = 'ext_1111'`

export interface Questions extends Record<Read, Question[]> {
  /** The name of one link of the first tenant. */
  rare_name: string
}

/** Everything that is asked of a database of this scale. */
export async function questionsOf(url: string, scale: number): Promise<Questions> {
  const { ids, latest, rare_name } = await connected(url, async (client) => ({
    ids: (await client.query(SOME_EXECUTIONS)).rows as Ids,
    rare_name: (await client.query(NAMED)).rows[0].external_name as string,
    latest: (await client.query('select max(created_at) as latest from execution')).rows[0].latest as Date,
  }))
  return {
    rare_name,
    R1: linkPages(scale),
    R2: ids.map(({ tenant_id, execution_id }) => ({
      read: 'R2',
      tenant: tenantWith(tenant_id),
      execution_id,
    })),
    R3: windows(latest),
    R4: tenants.flatMap((tenant) =>
      [0, 1].map((pages): Question => ({ read: 'R4', tenant, page_size: 20, skip: { pages, size: 20 } })),
    ),
    W1: changes('W1'),
    W2: changes('W2'),
    key: tenants.map((tenant) => ({ read: 'key', tenant })),
  }
}

/** One question of each kind whose time is watched as the data grows. */
export function growthQuestions(questions: Questions, scale: number): Map<string, Question> {
  const [tenant] = tenants
  const [execution, window, agents] = [questions.R2[0], questions.R3[0], questions.R4[0]]
  if (!tenant || !execution || !window || !agents) throw new Error('There is nothing to ask')
  const list = { read: 'R1', tenant, system: 'HUDU', page_size: 50 } as const
  const at = (share: number): Skip => ({ pages: Math.floor((LINKS * scale * share) / 200), size: 200 })
  return new Map<string, Question>([
    ['R1, first page', { ...list, skip: NONE }],
    ['R1, page in the middle', { ...list, skip: at(0.5) }],
    ['R1, page at 95 %', { ...list, skip: at(0.95) }],
    ['R1, rare search', { ...list, search: questions.rare_name, skip: NONE }],
    ['R2', execution],
    ['R3', window],
    ['R4', agents],
  ])
}

export const amount = (scale: number): string =>
  `${(tenants.length * SYSTEMS.length * LINKS * scale).toLocaleString('en')} company links, ` +
  `${(tenants.length * EXECUTIONS * scale).toLocaleString('en')} executions`
