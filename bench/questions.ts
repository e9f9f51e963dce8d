/** What is asked of everybody, in words that no interface knows. */
import { connected } from './data/databases.ts'
import {
  CALLBACKS,
  ENVIRONMENT,
  EXECUTIONS,
  LINKS,
  SYSTEMS,
  type Tenant,
  TICKETS,
  TOOL_SYSTEMS,
  tenants,
} from './data/tenants.ts'

/** One HTTP request of a caller. */
export interface Request {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  /** Of a function: another one each time. */
  body?: string | (() => string)
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
  | { read: 'R5'; tenant: Tenant; since: string; until: string }
  | { read: 'R6'; tenant: Tenant; page_size: number; filters: AuditFilters }
  | { read: 'R7'; tenant: Tenant; page_size: number; skip: Skip }
  | { read: 'W1' | 'W2'; tenant: Tenant; sleep_seconds: number }
  | { read: 'W3'; tenant: Tenant; agent: object }
  | { read: 'W4'; tenant: Tenant; agent_id: number }
  | { read: 'key'; tenant: Tenant }

export type Read = Question['read']

interface AuditFilters {
  system: string
  access: string
  outcome: string
}

export const WRITES = ['W1', 'W2', 'W3', 'W4'] as const
export type Write = (typeof WRITES)[number]
export const isWrite = (read: Read): read is Write => (WRITES as readonly Read[]).includes(read)

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

const FUNNELS = 20

/** Windows of a day, of the tenant that has most callbacks. */
function funnels(latest: Date): Question[] {
  return tenants.slice(0, 1).flatMap((tenant) =>
    Array.from({ length: FUNNELS }, (_, step): Question => {
      const until = latest.getTime() - step * 30 * HOUR_MS - 11 * 60_000
      return { read: 'R5', tenant, ...dayBefore(until) }
    }),
  )
}

const dayBefore = (until: number) => ({
  since: new Date(until - DAY_MS).toISOString(),
  until: new Date(until).toISOString(),
})

/** The first pages of the tool calls that each system, access and outcome had. */
const toolCalls = (): Question[] =>
  tenants.flatMap((tenant) =>
    [...new Set(TOOL_SYSTEMS)].flatMap((system) =>
      ['READ', 'WRITE'].flatMap((access) =>
        ['SUCCEEDED', 'FAILED', 'TIMED_OUT'].map(
          (outcome): Question => ({
            read: 'R6',
            tenant,
            page_size: 50,
            filters: { system, access, outcome },
          }),
        ),
      ),
    ),
  )

/** An agent as somebody would write it, with every kind of config object that it takes. */
const agentNamed = (name: string) => ({
  name,
  description: 'Sorts new tickets by what they are about.',
  autonomy_type: 'AGENTIC',
  trigger_type: 'TRIGGERED',
  entity_type: 'TICKET',
  agent_settings: {
    custom_instructions:
      'Read the ticket before you answer. Never change the priority of a VIP’s ticket. '.repeat(8),
    max_minutes: 30,
    confidence_threshold: 0.8,
  },
  toolbox: { tools: ['contact.read', 'memory.search'] },
  integrations: {
    grants: [
      { system: 'HALO_PSA', permission_groups: ['TICKETS'], access: 'WRITE' },
      { system: 'HUDU', access: 'READ' },
      { system: 'SLACK' },
    ],
  },
  callback_settings: { change_types: ['TICKET_CREATED', 'TICKET_CUSTOMER_REPLIED'], debounce_seconds: 30 },
  ticket_conditions: {
    match: 'ALL',
    rules: [
      { field: 'board', operator: 'equals', value: 'Service desk' },
      { field: 'priority', operator: 'in', value: ['High', 'Critical'] },
      { field: 'is_vip', operator: 'equals', value: false },
    ],
  },
})

const creations = (): Question[] =>
  Array.from({ length: VALUES }, (_, index) => index + 1).flatMap((number) =>
    tenants.map((tenant): Question => ({ read: 'W3', tenant, agent: agentNamed(`Ticket triage ${number}`) })),
  )

let started = 0
/** A ticket that no execution was started on, until so many were. */
export const nextTicket = (): string => `psa_${started++ % TICKETS}`

const RUNNABLE = `
  select tenant_id, id from agent
  where state = 'ACTIVE' and entity_type = 'TICKET' and trigger_type = 'TRIGGERED' order by md5(id::text)`

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

/** One link among all the others, whose whole name is looked for. */
const NAMED = `select external_name from company_link
  where tenant_id = '${tenants[0]?.id}' and system = 'HUDU' and external_id = 'ext_111'`

/** The latest instant in the data. */
const LATEST = `select max(received_at) as latest from callback
  where tenant_id = '${tenants[0]?.id}' and environment = '${ENVIRONMENT}'`

export interface Questions extends Record<Read, Question[]> {
  /** The name of one link of the first tenant. */
  rare_name: string
}

/** Everything that is asked of a database of this scale. */
export async function questionsOf(url: string, scale: number): Promise<Questions> {
  const { ids, runnable, latest, rare_name } = await connected(url, async (client) => ({
    runnable: (await client.query(RUNNABLE)).rows as { tenant_id: string; id: number }[],
    ids: (await client.query(SOME_EXECUTIONS)).rows as Ids,
    rare_name: (await client.query(NAMED)).rows[0].external_name as string,
    latest: (await client.query(LATEST)).rows[0].latest as Date,
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
    R5: funnels(latest),
    R6: toolCalls(),
    R7: tenants.flatMap((tenant) =>
      [0, 1].map((pages): Question => ({ read: 'R7', tenant, page_size: 50, skip: { pages, size: 50 } })),
    ),
    W1: changes('W1'),
    W2: changes('W2'),
    W3: creations(),
    W4: runnable.map(({ tenant_id, id }) => ({ read: 'W4', tenant: tenantWith(tenant_id), agent_id: id })),
    key: tenants.map((tenant) => ({ read: 'key', tenant })),
  }
}

/** A question whose time is watched as the data grows. */
interface Growing {
  name: string
  small: Question
  large: Question
  /** Both are asked of the smaller database, of which one tenant has ten times the rows of the other. */
  one_database?: true
}

export function growthQuestions(
  small: Questions,
  large: Questions,
  scales: { small: number; large: number },
): Growing[] {
  const [first, second] = tenants
  const [funnel] = small.R5
  if (!first || !second || !funnel) throw new Error('There is nothing to ask')
  const list = { read: 'R1', tenant: first, system: 'HUDU', page_size: 50 } as const
  const at = (share: number, scale: number): Skip => ({
    pages: Math.floor((LINKS * scale * share) / 200),
    size: 200,
  })
  const page = (share: number) => ({
    small: { ...list, skip: at(share, scales.small) },
    large: { ...list, skip: at(share, scales.large) },
  })
  const firstOf = (read: Read) => {
    const [asked, also] = [small[read][0], large[read][0]]
    if (!asked || !also) throw new Error(`There is no ${read} to ask`)
    return { small: asked, large: also }
  }
  return [
    { name: 'R1, first page', ...page(0) },
    { name: 'R1, page in the middle', ...page(0.5) },
    { name: 'R1, page at 95 %', ...page(0.95) },
    {
      name: 'R1, rare search',
      small: { ...list, search: small.rare_name, skip: NONE },
      large: { ...list, search: large.rare_name, skip: NONE },
    },
    { name: 'R2', ...firstOf('R2') },
    { name: 'R3', ...firstOf('R3') },
    { name: 'R4', ...firstOf('R4') },
    {
      name: 'R5, of as large a window',
      small: { ...funnel, tenant: second },
      large: funnel,
      one_database: true,
    },
  ]
}

export const amount = (scale: number): string =>
  `${(tenants.length * SYSTEMS.length * LINKS * scale).toLocaleString('en')} company links, ` +
  `${(tenants.length * EXECUTIONS * scale).toLocaleString('en')} executions, ` +
  `${CALLBACKS.toLocaleString('en')} callbacks of one tenant`
