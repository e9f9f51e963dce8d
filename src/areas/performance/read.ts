/** What agents did in a window, summed up by the database. */

import { callerOf } from '../../access/viewer.ts'
import { visibleAgents } from '../../access/visibility.ts'
import { scoped, sql } from '../../db/db.ts'
import { shaped } from '../../db/shaped.ts'
import type { Context } from '../../graphql/context.ts'
import type { Window } from '../../lib/window.ts'
import type { AutonomyType } from '../agents/index.ts'
import { dayOf, type Parts, type Totals } from './rules.ts'

const OF_TENANT = 'tenant_id = $1 and environment = $2'

const COLUMNS = [
  'total_executions',
  'ticket_executions',
  'successful_executions',
  'failed_executions',
  'fully_resolved_executions',
  'partially_resolved_executions',
  'total_seconds_spent',
  'total_hours_saved',
  'credits_consumed',
]
const SUMS = COLUMNS.map((column) => `sum(${column}) as ${column}`).join(', ')

// These columns are all in the index execution_recent.
const executions = (from: string, to: string, and: string): string => `
  select count(*), count(entity_id), count(*) filter (where status = 'COMPLETED'),
    count(*) filter (where status in ('FAILED', 'TIMED_OUT')), count(*) filter (where resolution = 'FULL'),
    count(*) filter (where resolution = 'PARTIAL'), sum(seconds_spent),
    sum(hours_saved) filter (where status = 'COMPLETED'), sum(credits_consumed)
  from execution where ${OF_TENANT} and created_at >= ${from}::timestamptz and created_at < ${to}::timestamptz${and}`

const credits = (from: string, to: string, and: string): string => `
  select 0, 0, 0, 0, 0, 0, 0, 0, sum(credits) from credit_entry
  where ${OF_TENANT} and at >= ${from}::timestamptz and at < ${to}::timestamptz${and}`

interface Shape {
  /** What rows of agents must meet: theirs, and an agent's own. */
  and?: string
  and_agent?: string
  unique_tickets: string
}

// Contract silent: tickets received are counted by the hours that begin in the window, and time entries are what
// agents of that entity type work on.
/**
 * `$3` to `$4` is the window: `$3` to `$5` before its whole days, `$6` to `$4` after them, and the days `$7` to `$8`.
 * Tickets received are known from `$9` on.
 */
const summary = ({ and = '', and_agent = '', unique_tickets }: Shape): string => `select ${SUMS},
    ${unique_tickets} as unique_tickets,
    (select sum(count) from tickets_received
     where ${OF_TENANT} and hour >= $9::timestamptz and hour < $4::timestamptz) as total_tickets_received,
    min(execution_at) as earliest_execution_at, min(time_entry_at) as earliest_time_entry_at
  from (
    select ${SUMS} from execution_daily where ${OF_TENANT} and day >= $7::date and day < $8::date${and}
    union all ${executions('$3', '$5', and)}
    union all ${executions('$6', '$4', and)}
    union all ${credits('$3', '$5', and)}
    union all ${credits('$6', '$4', and)}
  ) parts cross join (
    select min(first.finished_at) as execution_at,
      min(first.finished_at) filter (where a.entity_type = 'TIME_ENTRY') as time_entry_at
    from agent a cross join lateral (
      select e.finished_at from execution e
      where e.tenant_id = a.tenant_id and e.environment = a.environment and e.agent_id = a.id
        and e.finished_at is not null
      order by e.finished_at limit 1
    ) first
    where a.tenant_id = $1 and a.environment = $2${and_agent}
  ) earliest`

// A ticket has one execution in the window that none of the same ticket precedes there.
const SUMMARY = scoped(
  'performance.summary',
  summary({
    unique_tickets: `sum(ticket_executions) - (
      select count(*) from ticket_repeat where ${OF_TENANT}
        and previous_at >= $3::timestamptz and previous_at < $4::timestamptz and created_at < $4::timestamptz)`,
  }),
)

// What precedes an execution of some agents may be of another one, so that their tickets have to be told apart.
const SUMMARY_OF_AGENTS = shaped<Row>(
  'performance.summary_of_agents',
  (and) => `with chosen as materialized (
      select a.id from agent a where a.tenant_id = $1 and a.environment = $2${and}
    ) ${summary({
      and: ' and agent_id in (select id from chosen)',
      and_agent: ' and a.id in (select id from chosen)',
      unique_tickets: `(
      select count(*) from (
        select from execution where ${OF_TENANT} and created_at >= $3::timestamptz
          and created_at < $4::timestamptz and entity_id is not null and agent_id in (select id from chosen)
        group by entity_id collate "C"
      ) tickets)`,
    })}`,
)

type Row = { [Name in keyof Totals]: Totals[Name] | null }

/** The totals of the agents that the caller sees, or of those of one kind. */
export async function readTotals(
  ctx: Context,
  { from, to }: Window,
  { days }: Parts,
  known_from: Date,
  autonomy_type: AutonomyType | null,
): Promise<Row> {
  const own = [from, to, days.from, days.to, dayOf(days.from), dayOf(days.to), known_from]
  const visible = visibleAgents(callerOf(ctx))
  const kind = autonomy_type && {
    name: 'kind',
    text: 'a.autonomy_type = ?::text::autonomy_type',
    values: [autonomy_type],
  }
  const [row] =
    visible || kind ? await SUMMARY_OF_AGENTS(ctx, own, [visible, kind]) : await sql<Row>(ctx, SUMMARY, own)
  if (!row) throw new Error('A summary without a row')
  return row
}

const ZONE = scoped(
  'performance.zone',
  'select timezone from settings where tenant_id = $1 and environment = $2',
)

/** The tenant's zone; UTC where none is set. */
export async function readZone(ctx: Context): Promise<string> {
  const [settings] = await sql<{ timezone: string | null }>(ctx, ZONE)
  return settings?.timezone ?? 'UTC'
}
