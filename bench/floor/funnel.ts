import type { FastifyInstance } from 'fastify'
import { CHANGE_TYPES } from '../../src/areas/change-types/catalogue.ts'
import { Refusal } from './call.ts'
import { rows } from './database.ts'
import { route } from './route.ts'
import { visibleTo } from './visible.ts'

const during = (column: string) =>
  `tenant_id = $1 and environment = $2 and ${column} >= $3::timestamptz and ${column} < $4::timestamptz`

/** The 95th percentile by nearest rank of those that meet the condition. */
const p95 = (value: string, condition = 'true') =>
  `coalesce(percentile_disc(0.95) within group (order by ${value}) filter (where ${condition}), 0)::float8`
const seconds = (from: string, to: string) => `date_part('epoch', ${to} - ${from})`

/** Every figure in one round trip; the callbacks of the window are read three times, from the index that covers them. */
const funnel = (name: string, and: string) => ({
  name,
  text: `
    select c.*, e.*, b.*, a.*, w.*,
      (select timezone from settings where tenant_id = $1 and environment = $2) as timezone
    from (
      select count(*)::int as received,
        (count(*) filter (where status = 'FILTERED_OUT'))::int as filtered_out,
        (count(*) filter (where status = 'PROCESSED'))::int as processed,
        (count(*) filter (where status = 'FAILED'))::int as failed,
        (count(*) filter (where status in ('RECEIVED', 'QUEUED', 'PROCESSING')))::int as in_flight,
        ${p95(
          `greatest(${seconds('psa_changed_at', 'received_at')}, 0)`,
          `source = 'WEBHOOK' and psa_changed_at is not null`,
        )} as delivery_p95,
        (count(*) filter (where wait_seconds > 0))::int as exhausted,
        coalesce(max(wait_seconds), 0)::float8 as max_wait,
        ${p95('wait_seconds', 'wait_seconds > 0')} as wait_p95,
        (count(*) filter (where psa_wait_seconds > 0))::int as limited,
        coalesce(max(psa_wait_seconds), 0)::float8 as max_limit_wait,
        ${p95('psa_wait_seconds', 'psa_wait_seconds > 0')} as limit_wait_p95,
        ${p95('work_seconds', `status = 'PROCESSED'`)} as work_p95,
        ${p95('sleep_seconds', `status = 'PROCESSED'`)} as sleep_p95,
        ${p95(seconds('received_at', 'processed_at'), `status = 'PROCESSED'`)} as duration_p95
      from callback where ${during('received_at')}
    ) c cross join (
      select count(*)::int as entities
      from (select from callback where ${during('received_at')} group by entity_type, entity_id) different
    ) e cross join (
      select coalesce(jsonb_object_agg(code, n), '{}') as changes
      from (
        select code, sum(times)::int as n
        from (
          select change_types, count(*) as times from callback where ${during('received_at')} group by change_types
        ) received, unnest(change_types) code
        group by code
      ) by_code
    ) b cross join (
      select count(*)::int as calls, (count(*) filter (where not ok))::int as failures, ${p95('wait_seconds')} as call_p95
      from upstream_call
      where system in ('CONNECTWISE_PSA', 'AUTOTASK_PSA', 'HALO_PSA', 'SYNCRO', 'KASEYA_BMS', 'SUPEROPS')
        and ${during('at')}
    ) a cross join (
      select evaluated, (
        select count(*)::int from execution
        where tenant_id = $1 and environment = $2 and execution_id = any(started)
          and status in ('COMPLETED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'SKIPPED')
      ) as finished
      from (
        select count(*)::int as evaluated,
          array_agg(execution_id) filter (where execution_id is not null) as started
        from callback_match where ${during('received_at')} ${and}
      ) matches
    ) w`,
})
const EVERYTHING = funnel('funnel', '')
const OF_AGENTS = funnel(
  'funnel_of_agents',
  `and agent_id in (select a.id from agent a where a.tenant_id = $1 and a.environment = $2 and ${visibleTo('$5')})`,
)

interface Figures {
  timezone: string | null
  changes: Record<string, number>
  evaluated: number
  finished: number
  [name: string]: unknown
}

const percentage = (part: number, whole: number) =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100

const grouped = ({ changes, evaluated, finished, timezone: _zone, ...of }: Figures) => ({
  callbacks: {
    received: of.received,
    filtered_out: of.filtered_out,
    processed: of.processed,
    failed: of.failed,
    in_flight: of.in_flight,
    unique_entities: of.entities,
    webhook_delivery_p95_seconds: of.delivery_p95,
    by_change_type: Object.fromEntries(CHANGE_TYPES.map((code) => [code, changes[code] ?? 0])),
  },
  concurrency_cap: {
    exhausted_count: of.exhausted,
    max_wait_seconds: of.max_wait,
    p95_wait_seconds: of.wait_p95,
  },
  events_processed: {
    count: of.processed,
    p95_actual_work_seconds: of.work_p95,
    p95_configured_sleep_seconds: of.sleep_p95,
    p95_total_duration_seconds: of.duration_p95,
  },
  psa_api: {
    calls: of.calls,
    failures: of.failures,
    p95_wait_seconds: of.call_p95,
    limited_count: of.limited,
    max_limit_wait_seconds: of.max_limit_wait,
    p95_limit_wait_seconds: of.limit_wait_p95,
  },
  workflows_triggered: { finished, useful_vs_evaluated_ratio_pct: percentage(finished, evaluated) },
})

const DAY_MS = 24 * 60 * 60 * 1000

interface Query {
  since?: string
  until?: string
}

const instant = { type: 'string', format: 'date-time' }
const querystring = {
  type: 'object',
  additionalProperties: false,
  properties: { since: instant, until: instant },
}

export function callbackFunnel(app: FastifyInstance): void {
  app.get<{ Querystring: Query }>(
    '/public-api/observability/callback-funnel',
    { schema: { querystring } },
    route('observability:read', async (call, { query }) => {
      const asked = query as Query
      const until = asked.until ? new Date(asked.until) : new Date()
      const since = asked.since ? new Date(asked.since) : new Date(until.getTime() - DAY_MS)
      if (since >= until) throw new Refusal(400, 'invalid_window')
      if (until.getTime() - since.getTime() > 7 * DAY_MS) throw new Refusal(400, 'window_too_large')
      const { tenant_id, environment, restricted_to } = call.caller
      const values = [tenant_id, environment, since, until]
      const [figures] = restricted_to
        ? await rows<Figures>(call, OF_AGENTS, [...values, restricted_to])
        : await rows<Figures>(call, EVERYTHING, values)
      if (!figures) throw new Error('A funnel without a row')
      return { data: { window: { since, until, timezone: figures.timezone ?? 'UTC' }, ...grouped(figures) } }
    }),
  )
}
