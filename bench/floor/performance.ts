import type { FastifyInstance } from 'fastify'
import { Refusal } from './call.ts'
import { rows } from './database.ts'
import { route } from './route.ts'
import { visible } from './visible.ts'

/** One aggregate over the executions of the window; the other numbers beside it, in the same round trip. */
const SUMMARY = {
  name: 'summary',
  text: `with visible as (
           select a.id, a.entity_type, ($6::autonomy_type is null or a.autonomy_type = $6) as counted
           from agent a where a.tenant_id = $1 and a.environment = $2 and ${visible('$5')}
         )
         select sums.*, earliest.*,
           (select timezone from settings s where s.tenant_id = $1 and s.environment = $2) as timezone
         from (
           select
             count(*)::int as total_executions,
             (count(*) filter (where status = 'COMPLETED'))::int as successful_executions,
             (count(*) filter (where status in ('FAILED', 'TIMED_OUT')))::int as failed_executions,
             (count(*) filter (where resolution = 'FULL'))::int as fully_resolved_executions,
             (count(*) filter (where resolution = 'PARTIAL'))::int as partially_resolved_executions,
             (count(distinct entity_id) filter (where entity_type = 'TICKET'))::int as unique_tickets,
             coalesce(sum(seconds_spent), 0) as total_seconds_spent,
             coalesce(sum(hours_saved) filter (where status = 'COMPLETED'), 0) as total_hours_saved,
             coalesce(sum(credits_consumed), 0) + (
               select coalesce(sum(credits), 0) from credit_entry c
               where c.tenant_id = $1 and c.environment = $2 and c.at >= $3 and c.at < $4
                 and c.agent_id in (select id from visible where counted)
             ) as credits_consumed,
             (
               select coalesce(sum(count), 0)::int from tickets_received r
               where r.tenant_id = $1 and r.environment = $2 and r.quarter >= $7 and r.quarter < $8
             ) as total_tickets_received
           from execution e
           where e.tenant_id = $1 and e.environment = $2 and e.created_at >= $3 and e.created_at < $4
             and e.agent_id in (select id from visible where counted)
         ) sums
         cross join (
           select min(first.finished_at) as earliest_execution_at,
             min(first.finished_at) filter (where visible.entity_type = 'TIME_ENTRY') as earliest_time_entry_at
           from visible cross join lateral (
             select finished_at from execution f
             where f.tenant_id = $1 and f.environment = $2 and f.agent_id = visible.id and f.finished_at is not null
             order by finished_at limit 1
           ) as first
         ) earliest`,
}

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
      const values = [
        tenant_id,
        environment,
        first,
        end,
        restricted_to,
        autonomy_type,
        quarterOf(first),
        quarterOf(end),
      ]
      const [{ timezone, ...totals } = {}] = await rows<{ timezone?: string | null }>(call, SUMMARY, values)
      return { data: { window: { from: start, to: end, timezone: timezone ?? 'UTC' }, ...totals } }
    }),
  )
}
