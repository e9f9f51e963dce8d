/** The SQL of performance: sums over the executions and credits of a window. */

import { visibleAgents } from '../../access/policies/visibility.ts'
import { callerOf } from '../../access/viewer.ts'
import { select } from '../../db/query/fragment.ts'
import type { Context } from '../../gateway/context.ts'
import type { Window } from '../../lib/window.ts'
import type { AutonomyType } from '../agents/index.ts'
import { agentsWith } from '../agents/index.ts'
import { ZONE_OF_TENANT } from '../settings/index.ts'
import { dayOf, type Nullable, type Totals, wholeDaysOf } from './rules.ts'

const OF_TENANT = 'tenant_id = $1 and environment = $2'

/** The columns of a day that are summed up. */
export const COLUMNS = [
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
export const SUMS = COLUMNS.map((column) => `sum(${column}) as ${column}`).join(', ')

/** The SQL of a window's bounds, those of the whole UTC days in it, and the first day and the one after the last. */
interface Bounds {
  from: string
  to: string
  days_from: string
  days_to: string
  first_day: string
  last_day: string
}

interface Narrowing {
  /** The condition on the agents that are summed up. */
  and?: string
  /** The sums of each agent. */
  by_agent?: true
}

/**
 * The sums over a part of a day, of the shares that the rollup adds up too: PostgreSQL inlines execution_daily_of. The
 * columns that it reads are in the indexes execution_recent and credit_entry_at.
 */
function partOfDay(
  table: 'execution' | 'credit_entry',
  from: string,
  to: string,
  { and = '', by_agent }: Narrowing,
): string {
  const time = table === 'execution' ? 'created_at' : 'at'
  const [agent, group] = by_agent ? ['agent_id, ', ' group by agent_id'] : ['', '']
  return `select ${agent}${SUMS} from (
      select share.*, source.${time} from ${table} source cross join execution_daily_of(source) share
    ) shares where ${OF_TENANT} and ${time} >= ${from}::timestamptz and ${time} < ${to}::timestamptz${and}${group}`
}

/** Rows whose sum is that of a window: its whole days from the rollup, and the executions before and after them. */
export function partsOf(
  { from, to, days_from, days_to, first_day, last_day }: Bounds,
  narrowing: Narrowing = {},
): string {
  const { and = '', by_agent } = narrowing
  const [agent, group] = by_agent ? ['agent_id, ', ' group by agent_id'] : ['', '']
  return `select ${agent}${SUMS} from execution_daily
      where ${OF_TENANT} and day >= ${first_day}::date and day < ${last_day}::date${and}${group}
    union all ${partOfDay('execution', from, days_from, narrowing)}
    union all ${partOfDay('execution', days_to, to, narrowing)}
    union all ${partOfDay('credit_entry', from, days_from, narrowing)}
    union all ${partOfDay('credit_entry', days_to, to, narrowing)}`
}

/** True if an agent of the tenant has worked, or consumed credits, on the day or later; in the environment `$2`. */
export const hasWorkedSince = (tenant_id: string, day: string): string =>
  `exists (select from execution_daily d where d.tenant_id = ${tenant_id} and d.environment = $2 and d.day >= ${day})`

/** The bounds as parameters; `boundsOf` has their values. */
export const BOUNDS: Bounds = {
  from: '$from',
  to: '$to',
  days_from: '$days_from',
  days_to: '$days_to',
  first_day: '$first_day',
  last_day: '$last_day',
}

export function boundsOf(window: Window): Record<keyof Bounds, Date | string> {
  const days = wholeDaysOf(window)
  return {
    ...window,
    days_from: days.from,
    days_to: days.to,
    first_day: dayOf(days.from),
    last_day: dayOf(days.to),
  }
}

/** Rows `{agent_id, entries}`: the entries of credits of agents, for a statement that names a `bucket`. */
export const creditEntries = (and: string): string => `select agent_id, count(*) as entries from credit_entry
    where ${OF_TENANT} and at >= bucket.starts and at < bucket.ends${and} group by agent_id`

const IS_COUNTED = '($autonomy_type::text is null or a.autonomy_type = $autonomy_type::text::autonomy_type)'

/** The visible agents, of which those of one kind are counted, for a statement that names `visible`. */
export const visibleCte = (and: string): string => `with visible as materialized (
      ${agentsWith(`a.id, a.entity_type, ${IS_COUNTED} as counted`, and)}
    )`

export const OF_COUNTED = ' and agent_id in (select id from visible where counted)'

interface SummaryParts {
  /** The condition on the rows of agents that are summed up. */
  and?: string
  /** A row with `execution_at` and `time_entry_at`, the ends of the first executions. */
  earliest: string
  unique_tickets: string
}

/** Tickets received are those of the quarters of an hour `$tickets_from` to `$tickets_to`. */
const summary = ({ and = '', earliest, unique_tickets }: SummaryParts): string => `select ${SUMS},
    ${unique_tickets} as unique_tickets,
    (select sum(count) from tickets_received
     where ${OF_TENANT} and quarter >= $tickets_from::timestamptz and quarter < $tickets_to::timestamptz) as total_tickets_received,
    min(execution_at) as earliest_execution_at, min(time_entry_at) as earliest_time_entry_at,
    ${ZONE_OF_TENANT} as timezone
  from (
    ${partsOf(BOUNDS, { and })}
  ) parts cross join (${earliest}) earliest`

/** The ends of the first executions of agents, which are rows with an id and an entity_type. */
const firstOf = (agents: string): string => `select min(first.finished_at) as execution_at,
      min(first.finished_at) filter (where a.entity_type = 'TIME_ENTRY') as time_entry_at
    from (${agents}) a cross join lateral (
      select e.finished_at from execution e
      where e.tenant_id = $1 and e.environment = $2 and e.agent_id = a.id and e.finished_at is not null
      order by e.finished_at limit 1
    ) first`

const ON_TIME_ENTRIES = agentsWith('a.id, a.entity_type', ` and a.entity_type = 'TIME_ENTRY'`)

/** Of all agents, the index execution_finished has the first execution; those on time entries are few. */
const FIRST_OF_ALL = `select (
      select e.finished_at from execution e
      where e.tenant_id = $1 and e.environment = $2 and e.finished_at is not null
      order by e.finished_at limit 1
    ) as execution_at, time_entry_at
    from (${firstOf(ON_TIME_ENTRIES)}) of_agents`

// A ticket has one execution in the window that none of the same ticket precedes there.
const SUMMARY = summary({
  earliest: FIRST_OF_ALL,
  unique_tickets: `sum(ticket_executions) - (
      select count(*) from ticket_repeat where ${OF_TENANT}
        and previous_at >= $from::timestamptz and previous_at < $to::timestamptz and created_at < $to::timestamptz)`,
})

// The first execution of a ticket may be of an agent that is not counted, so tickets are counted from the rows.
const summaryOfAgents = (and: string): string =>
  `${visibleCte(and)} ${summary({
    and: OF_COUNTED,
    earliest: firstOf('select id, entity_type from visible'),
    unique_tickets: `(
      select count(*) from (
        select from execution where ${OF_TENANT} and created_at >= $from::timestamptz
          and created_at < $to::timestamptz and entity_id is not null and entity_type = 'TICKET'
         ${OF_COUNTED}
        group by entity_id collate "C"
      ) tickets)`,
  })}`

interface Row extends Nullable<Totals> {
  /** null: the tenant has set none. */
  timezone: string | null
}

/** The totals of the agents that the caller sees, or of those of one kind. */
export async function readTotals(
  ctx: Context,
  window: Window,
  tickets: Window,
  autonomy_type: AutonomyType | null,
): Promise<Row> {
  const visible = visibleAgents(callerOf(ctx))
  const fragment =
    visible || autonomy_type
      ? { ...visible, text: summaryOfAgents(visible ? ` and ${visible.text}` : '') }
      : { text: SUMMARY }
  const [row] = await select<Row>(ctx, 'performance.summary', fragment, {
    ...boundsOf(window),
    tickets_from: tickets.from,
    tickets_to: tickets.to,
    autonomy_type,
  })
  if (!row) throw new Error('A summary without a row')
  return row
}
