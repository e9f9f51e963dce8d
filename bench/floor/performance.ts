import type { FastifyInstance } from 'fastify'
import { Refusal } from './call.ts'
import { type Prepared, rows } from './database.ts'
import { route } from './route.ts'
import { visibleTo } from './visible.ts'

const DURING = 'tenant_id = $1 and environment = $2 and created_at >= $3 and created_at < $4'

/**
 * The numbers of one window, summed up from the rows in one round trip. Executions are read from the index that covers
 * them. Tickets are told apart by a hash table, in bytes' order: "count(distinct)" sorts, by the rules of a language.
 * `counted` narrows rows to agents whose work counts; `agents` are those whose first executions are looked for.
 */
const summary = (name: string, agents: string, counted: string, visible = '') => ({
  name,
  text: `${visible}
    select sums.*, earliest.*,
      (select timezone from settings where tenant_id = $1 and environment = $2) as timezone,
      (select count(*)::int from (
        select from execution where ${DURING} and entity_type = 'TICKET' and entity_id is not null ${counted}
        group by entity_id collate "C"
      ) tickets) as unique_tickets
    from (
      select
        count(*)::int as total_executions,
        (count(*) filter (where status = 'COMPLETED'))::int as successful_executions,
        (count(*) filter (where status in ('FAILED', 'TIMED_OUT')))::int as failed_executions,
        (count(*) filter (where resolution = 'FULL'))::int as fully_resolved_executions,
        (count(*) filter (where resolution = 'PARTIAL'))::int as partially_resolved_executions,
        coalesce(sum(seconds_spent), 0) as total_seconds_spent,
        coalesce(sum(hours_saved) filter (where status = 'COMPLETED'), 0) as total_hours_saved,
        coalesce(sum(credits_consumed), 0) + (
          select coalesce(sum(credits), 0) from credit_entry
          where tenant_id = $1 and environment = $2 and at >= $3 and at < $4 ${counted}
        ) as credits_consumed,
        (
          select coalesce(sum(count), 0)::int from tickets_received
          where tenant_id = $1 and environment = $2 and quarter >= $5 and quarter < $6
        ) as total_tickets_received
      from execution where ${DURING} ${counted}
    ) sums
    cross join (
      select min(first.finished_at) as earliest_execution_at,
        min(first.finished_at) filter (where agents.entity_type = 'TIME_ENTRY') as earliest_time_entry_at
      from (${agents}) agents cross join lateral (
        select finished_at from execution
        where tenant_id = $1 and environment = $2 and agent_id = agents.id and finished_at is not null
        order by finished_at limit 1
      ) first
    ) earliest`,
})

const OF_TENANT = 'from agent a where a.tenant_id = $1 and a.environment = $2'
const EVERYTHING = summary('summary', `select id, entity_type ${OF_TENANT}`, '')
const OF_AGENTS = summary(
  'summary_of_agents',
  'select id, entity_type from visible',
  'and agent_id in (select id from visible where counted)',
  `with visible as materialized (
     select a.id, a.entity_type, ($8::autonomy_type is null or a.autonomy_type = $8) as counted
     ${OF_TENANT} and ($7::text is null or ${visibleTo('$7')}))`,
)

const DAY_MS = 24 * 60 * 60 * 1000
const QUARTER_MS = 15 * 60 * 1000

const quarterOf = (at: Date | number) => new Date(Math.floor(Number(at) / QUARTER_MS) * QUARTER_MS)

interface Query {
  from: string
  to: string
  autonomy_type?: string
}

const querystring = {
  type: 'object',
  required: ['from', 'to'],
  additionalProperties: false,
  properties: {
    from: { type: 'string', format: 'date-time' },
    to: { type: 'string', format: 'date-time' },
    autonomy_type: { enum: ['AGENTIC', 'CHAINED_ACTIONS', 'CONVERSATIONAL'] },
  },
}

export function performanceSummary(app: FastifyInstance): void {
  app.get<{ Querystring: Query }>(
    '/public-api/performance/summary',
    { schema: { querystring } },
    route('performance:read', async (call, { query }) => {
      const { from, to, autonomy_type = null } = query as Query
      const [start, end] = [new Date(from), new Date(to)]
      if (start >= end) throw new Refusal(400, 'invalid_window')
      const kept = quarterOf(Date.now() - 400 * DAY_MS)
      const first = start < kept ? kept : start
      const { tenant_id, environment, restricted_to } = call.caller
      const values = [tenant_id, environment, first, end, quarterOf(first), quarterOf(end)]
      const read = (statement: Prepared, own: unknown[]) =>
        rows<{ timezone?: string | null }>(call, statement, [...values, ...own])
      const [{ timezone, ...totals } = {}] =
        restricted_to || autonomy_type
          ? await read(OF_AGENTS, [restricted_to, autonomy_type])
          : await read(EVERYTHING, [])
      return { data: { window: { from: start, to: end, timezone: timezone ?? 'UTC' }, ...totals } }
    }),
  )
}
