/** The SQL of the callback funnel. */

import { andOfVisibleAgents } from '../../access/policies/visibility.ts'
import { callerOf } from '../../access/viewer.ts'
import { type Fragment, select } from '../../db/query/fragment.ts'
import type { Context } from '../../gateway/context.ts'
import { REGISTRY } from '../integrations/index.ts'
import { ZONE_OF_TENANT } from '../settings/index.ts'
import type { FunnelFigures, ObservedWindow } from './rules.ts'

const OF_TENANT = 'tenant_id = $1 and environment = $2'

const within = (column: string): string =>
  `${column} >= $since::timestamptz and ${column} < $until::timestamptz`

/** The 95th percentile by nearest rank, of the rows that meet the condition and have a value; 0 of none. */
const p95 = (seconds: string, condition = 'true'): string =>
  `coalesce(percentile_disc(0.95) within group (order by ${seconds}) filter (where ${condition}), 0)::float8`

// `extract` makes a number of many digits first.
const secondsBetween = (from: string, to: string): string => `date_part('epoch', ${to} - ${from})`

const RECEIVED = `from callback where ${OF_TENANT} and ${within('received_at')}`

const IN_FLIGHT = `status in ('RECEIVED', 'QUEUED', 'PROCESSING')`

// Contract silent: every figure of callbacks is of those received in the window, so that each stage is a part of the
// one before. The waits are of those that found the concurrency cap exhausted, the durations of those PROCESSED.
// All columns are in the index callback_recent.
const CALLBACKS = `select count(*)::int as received,
    (count(*) filter (where status = 'FILTERED_OUT'))::int as filtered_out,
    (count(*) filter (where status = 'PROCESSED'))::int as processed,
    (count(*) filter (where status = 'FAILED'))::int as failed,
    (count(*) filter (where ${IN_FLIGHT}))::int as in_flight,
    ${p95(`greatest(${secondsBetween('psa_changed_at', 'received_at')}, 0)`, `source = 'WEBHOOK' and psa_changed_at is not null`)}
      as webhook_delivery_p95_seconds,
    (count(*) filter (where wait_seconds > 0))::int as exhausted_count,
    coalesce(max(wait_seconds), 0)::float8 as max_wait_seconds,
    ${p95('wait_seconds', 'wait_seconds > 0')} as p95_wait_seconds,
    (count(*) filter (where psa_wait_seconds > 0))::int as limited_count,
    coalesce(max(psa_wait_seconds), 0)::float8 as max_limit_wait_seconds,
    ${p95('psa_wait_seconds', 'psa_wait_seconds > 0')} as p95_limit_wait_seconds,
    ${p95('work_seconds', `status = 'PROCESSED'`)} as p95_actual_work_seconds,
    ${p95('sleep_seconds', `status = 'PROCESSED'`)} as p95_configured_sleep_seconds,
    ${p95(secondsBetween('received_at', 'processed_at'), `status = 'PROCESSED'`)} as p95_total_duration_seconds
  ${RECEIVED}`

const ENTITIES = `select count(*)::int as unique_entities
  from (select ${RECEIVED} group by entity_type, entity_id) entities`

const FACETS = 'status, entity_type, change_types'

// Callbacks have few combinations of these columns. The index callback_facets begins with them: it finds each combination,
// and counts its callbacks of the window.
const CHANGES = `with recursive found as (
    (select ${FACETS} from callback where ${OF_TENANT} order by ${FACETS} limit 1)
    union all
    select next.* from found cross join lateral (
      select ${FACETS} from callback
      where ${OF_TENANT} and (${FACETS}) > (found.status, found.entity_type, found.change_types)
      order by ${FACETS} limit 1
    ) next
  )
  select coalesce(jsonb_object_agg(change_type, count), '{}') as by_change_type from (
    select change_type, sum(times)::int as count
    from found cross join lateral (
      select count(*) as times ${RECEIVED} and (${FACETS}) = (found.status, found.entity_type, found.change_types)
    ) received
    cross join unnest(found.change_types) change_type where times > 0 group by change_type
  ) changes`

// Calls of a tenant that has connected no PSA are to the service's own, and have its kind for a name.
const PSA_SYSTEMS = [
  'PSA',
  ...REGISTRY.filter(({ category }) => category === 'PSA').map(({ system }) => system),
]

const CALLS = `select count(*)::int as psa_calls, (count(*) filter (where not ok))::int as psa_failures,
    ${p95('wait_seconds')} as p95_psa_wait_seconds
  from upstream_call where ${OF_TENANT} and system = any($psa_systems::text[]) and ${within('at')}`

/** The statuses of executions that are finished. */
const FINISHED = `('COMPLETED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'SKIPPED')`

// Contract silent: an evaluation is the match of one agent with one callback; what is useful of it is an execution
// that it started and that is finished, in whatever way.
// The executions are looked up by their ids: a join would read those of all time.
const workflows = (and: string): string => `select evaluated, (
    select count(*)::int from execution e
    where e.tenant_id = $1 and e.environment = $2 and e.execution_id = any(started) and e.status in ${FINISHED}
  ) as finished
  from (
    select count(*)::int as evaluated, array_agg(m.execution_id) filter (where m.execution_id is not null) as started
    from callback_match m
    where m.tenant_id = $1 and m.environment = $2 and ${within('m.received_at')}${and}
  ) matches`

/** The figures of callbacks are of one moment, so that each stage is a part of the one before. */
const OF_CALLBACKS = `select c.*, b.*, ${ZONE_OF_TENANT} as timezone
  from (${CALLBACKS}) c cross join (${CHANGES}) b`

const ofOthers = (and: string): string =>
  `select e.*, a.*, w.* from (${ENTITIES}) e cross join (${CALLS}) a cross join (${workflows(and)}) w`

interface FunnelRow extends FunnelFigures {
  /** null: the tenant has set none. */
  timezone: string | null
}

// Contract silent: webhooks and calls are the tenant's, and the same for every caller; executions and their
// evaluations are counted of the agents that the caller sees.
/** The figures of the window. A week of many callbacks is read by two statements at once. */
export async function readFunnel(ctx: Context, window: ObservedWindow): Promise<FunnelRow> {
  const visible = andOfVisibleAgents(callerOf(ctx), 'm.agent_id')
  const read = <Figures>(name: string, fragment: Fragment) =>
    select<Figures>(ctx, name, fragment, { ...window, psa_systems: PSA_SYSTEMS })
  const [[of_callbacks], [of_others]] = await Promise.all([
    read<FunnelRow>('observability.funnel', { text: OF_CALLBACKS }),
    read<Partial<FunnelRow>>('observability.funnel_of_others', { ...visible, text: ofOthers(visible.text) }),
  ])
  if (!of_callbacks) throw new Error('A funnel without a row')
  return { ...of_callbacks, ...of_others }
}
