import type { FastifyInstance } from 'fastify'
import { REGISTRY } from '../../src/areas/integrations/registry.ts'
import { Refusal } from './call.ts'
import { decode, paged, pageQuery } from './cursor.ts'
import { type Prepared, rows } from './database.ts'
import { route } from './route.ts'
import { visibleTo } from './visible.ts'

/** The condition of each filter; `?` is the value. */
const FILTERS = {
  to: 'l.occurred_at < ?::timestamptz',
  agent_id: 'l.agent_id = ?',
  execution_id: 'l.execution_id = ?',
  tool_name: 'l.tool_name = ?',
  system: 'l.system = ?',
  access: 'l.access = ?::tool_access',
  outcome: 'l.outcome = ?::audit_outcome',
  supervised: 'l.supervised = ?',
  entity_id: 'l.entity_id = ?',
  acting_user_id: 'l.acting_user_id = ?',
} as const

type Filter = keyof typeof FILTERS
const NAMES = Object.keys(FILTERS) as Filter[]

const statements = new Map<string, Prepared>()

/** The statement for these filters, made once. Its values: the start, the rows, the user, the filters, the last row. */
function statementFor(filters: readonly Filter[], restricted: boolean, after: boolean): Prepared {
  const name = `audit_log ${restricted} ${after} ${filters}`
  const known = statements.get(name)
  if (known) return known
  let number = restricted ? 5 : 4
  const next = () => `$${++number}`
  const conditions = [
    ...(restricted
      ? [
          `l.agent_id in (select a.id from agent a where a.tenant_id = $1 and a.environment = $2 and ${visibleTo('$5')})`,
        ]
      : []),
    ...filters.map((filter) => FILTERS[filter].replace('?', next())),
    ...(after ? [`(l.occurred_at, l.sequence) < (${next()}::timestamptz, ${next()}::bigint)`] : []),
  ]
  const text = `select l.id, l.occurred_at, l.agent_id, l.agent_name, l.execution_id, l.temporal_run_id, l.tool_name,
      l.tool_title, l.system, l.access, l.outcome, l.arguments, l.arguments_truncated, l.arguments_hash, l.result_summary, l.error_code,
      l.error_message, l.duration_ms, l.entity_id, l.entity_number, l.psa_company_id, l.psa_company_name, l.supervised,
      l.til_request_id, l.decided_by_name, l.acting_user_id, l.api_key_id, l.api_key_name, l.request_id, l.correlation_id,
      l.sequence, l.hash, l.previous_hash
    from audit_entry l
    where l.tenant_id = $1 and l.environment = $2 and l.occurred_at >= $3
      ${conditions.map((condition) => `and ${condition}`).join(' ')}
    order by l.occurred_at desc, l.sequence desc limit $4`
  const made = { name, text }
  statements.set(name, made)
  return made
}

interface Query extends Partial<Record<Filter, unknown>> {
  from?: string
  page_size: number
  cursor?: string
}

const text = { type: 'string', minLength: 1, maxLength: 200 }
const instant = { type: 'string', format: 'date-time' }
const querystring = {
  type: 'object',
  additionalProperties: false,
  properties: {
    from: instant,
    to: instant,
    agent_id: { type: 'integer', minimum: 1 },
    execution_id: text,
    tool_name: { ...text, maxLength: 120 },
    system: { enum: REGISTRY.map(({ system }) => system) },
    access: { enum: ['READ', 'WRITE'] },
    // One of them: nobody is asked for several.
    outcome: { enum: ['SUCCEEDED', 'FAILED', 'DENIED', 'PENDING_APPROVAL', 'SKIPPED', 'TIMED_OUT'] },
    supervised: { type: 'boolean' },
    entity_id: text,
    acting_user_id: text,
    ...pageQuery,
  },
}

const KEPT_MS = 30 * 24 * 60 * 60 * 1000

interface Entry {
  occurred_at: Date
  sequence: number
}

export function auditLog(app: FastifyInstance): void {
  app.get<{ Querystring: Query }>(
    '/public-api/audit-log',
    { schema: { querystring } },
    route('audit_log:read', async (call, { query }) => {
      const { page_size, cursor, from, ...filters } = query as Query
      const { caller } = call
      if (from && filters.to && from >= String(filters.to)) throw new Refusal(400, 'invalid_window')
      const kept = new Date(Date.now() - KEPT_MS)
      const start = from && new Date(from) > kept ? new Date(from) : kept
      const given = NAMES.filter((name) => filters[name] !== undefined)
      const list = `audit_log ${JSON.stringify([from, ...given.map((name) => [name, filters[name]])])}`
      const after = cursor ? decode(list, caller, cursor) : []
      const read = await rows<Entry>(
        call,
        statementFor(given, caller.restricted_to !== null, after.length > 0),
        [
          caller.tenant_id,
          caller.environment,
          start,
          page_size + 1,
          ...(caller.restricted_to === null ? [] : [caller.restricted_to]),
          ...given.map((name) => filters[name]),
          ...after,
        ],
      )
      const { items: data, pagination } = paged(list, caller, read, page_size, (entry) => [
        entry.occurred_at.toISOString(),
        entry.sequence,
      ])
      return { data, pagination }
    }),
  )
}
