/** The SQL of the health of executions and integrations. */

import { andOfVisibleAgents } from '../../access/policies/visibility.ts'
import { callerOf } from '../../access/viewer.ts'
import { scoped, sql } from '../../db/db.ts'
import { select } from '../../db/query/fragment.ts'
import type { Context } from '../../gateway/context.ts'
import type { Window } from '../../lib/window.ts'
import { isConnected, REGISTRY } from '../integrations/index.ts'
import type { ObservedWindow } from './rules.ts'

const percentile = (fraction: number): string =>
  `coalesce(percentile_disc(${fraction}) within group (order by seconds_spent)
     filter (where status in ('COMPLETED', 'FAILED', 'TIMED_OUT', 'CANCELLED')), 0)::float8`

const count = (...statuses: readonly string[]): string =>
  `(count(*) filter (where status in (${statuses.map((status) => `'${status}'`).join(', ')})))::int`

// Contract silent: an execution belongs to the bucket in which it was created. Durations are of work, without waits, and
// of executions that have ended after they were picked up.
// The columns are in the index execution_recent.
const executions = (and: string): string => `select bucket, count(*)::int as started,
    ${count('COMPLETED')} as completed, ${count('FAILED')} as failed, ${count('TIMED_OUT')} as timed_out,
    ${count('CANCELLED')} as cancelled, ${count('WAITING_FOR_APPROVAL', 'WAITING_FOR_INPUT')} as waiting,
    ${percentile(0.5)} as p50_seconds, ${percentile(0.95)} as p95_seconds
  from (
    select width_bucket(e.created_at, $starts::timestamptz[]) as bucket, e.status, e.seconds_spent from execution e
    where e.tenant_id = $1 and e.environment = $2
      and e.created_at >= $since::timestamptz and e.created_at < $until::timestamptz${and}
  ) created group by bucket`

export interface ExecutionFigures {
  started: number
  completed: number
  failed: number
  timed_out: number
  cancelled: number
  waiting: number
  p50_seconds: number
  p95_seconds: number
}

/** The figures of the buckets that have executions of agents that the caller sees. The first bucket is number 1. */
export async function readExecutionFigures(
  ctx: Context,
  window: ObservedWindow,
  buckets: readonly Window[],
): Promise<(ExecutionFigures & { bucket: number })[]> {
  const visible = andOfVisibleAgents(callerOf(ctx), 'e.agent_id')
  return await select(
    ctx,
    'observability.executions',
    { ...visible, text: executions(visible.text), custom_plan: true },
    { ...window, starts: buckets.map(({ from }) => from) },
  )
}

const CALLS = scoped(
  'observability.integrations',
  `select s.name, c.calls, c.failures, c.p95_wait_seconds, c.last_error_at
   from unnest($3::text[], $4::text[]) as s (name, system) cross join lateral (
     select count(*)::int as calls, (count(*) filter (where not u.ok))::int as failures,
       coalesce(percentile_disc(0.95) within group (order by u.wait_seconds), 0)::float8 as p95_wait_seconds,
       max(u.at) filter (where not u.ok) as last_error_at
     from upstream_call u
     where u.tenant_id = $1 and u.environment = $2 and u.system = s.system
       and u.at >= $5::timestamptz and u.at < $6::timestamptz
   ) c
   where c.calls > 0 or ${isConnected('s.name')}
   order by s.name collate "C"`,
)

export interface CallFigures {
  name: string
  calls: number
  failures: number
  p95_wait_seconds: number
  last_error_at: Date | null
}

const NAMES = REGISTRY.map(({ name }) => name)
const SYSTEMS = REGISTRY.map(({ system }) => system)

/** The figures of each integration that is connected, or that was called in the window. */
export const readCallFigures = (ctx: Context, { since, until }: ObservedWindow): Promise<CallFigures[]> =>
  sql<CallFigures>(ctx, CALLS, [NAMES, SYSTEMS, since, until])
