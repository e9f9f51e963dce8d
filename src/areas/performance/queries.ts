/** The SQL of performance: sums over what the agents did in a window. */
import { callerOf } from '../../access/viewer.ts'
import { visibleAgents } from '../../access/visibility.ts'
import { scoped, sql } from '../../db/db.ts'
import { select } from '../../db/fragment.ts'
import type { Context } from '../../gateway/context.ts'
import type { Window } from '../../lib/window.ts'
import type { AutonomyType } from '../agents/index.ts'
import { dayOf, type Totals, wholeDaysOf } from './rules.ts'

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

/**
 * The sums over a part of a day, of the shares that the rollup adds up too: PostgreSQL inlines execution_daily_of. The
 * columns that it reads are in the indexes execution_recent and credit_entry_at.
 */
const partOfDay = (table: 'execution' | 'credit_entry', from: string, to: string, and: string): string => {
  const time = table === 'execution' ? 'created_at' : 'at'
  return `select ${SUMS} from (
      select share.*, source.${time} from ${table} source cross join execution_daily_of(source) share
    ) shares where ${OF_TENANT} and ${time} >= ${from}::timestamptz and ${time} < ${to}::timestamptz${and}`
}

interface SummaryParts {
  /** The condition on the rows of agents that are summed up. */
  and?: string
  /** The agents whose first executions are looked for: rows with an id and an entity_type. */
  agents: string
  unique_tickets: string
}

/**
 * `$from` to `$to` is the window: `$from` to `$days_from` is before its whole days, `$days_to` to `$to` after them, and
 * the days are `$first_day` to `$last_day`. Tickets received are those of the quarters of an hour `$tickets_from` to
 * `$tickets_to`.
 */
const summary = ({ and = '', agents, unique_tickets }: SummaryParts): string => `select ${SUMS},
    ${unique_tickets} as unique_tickets,
    (select sum(count) from tickets_received
     where ${OF_TENANT} and quarter >= $tickets_from::timestamptz and quarter < $tickets_to::timestamptz) as total_tickets_received,
    min(execution_at) as earliest_execution_at, min(time_entry_at) as earliest_time_entry_at,
    (select timezone from settings where ${OF_TENANT}) as timezone
  from (
    select ${SUMS} from execution_daily where ${OF_TENANT} and day >= $first_day::date and day < $last_day::date${and}
    union all ${partOfDay('execution', '$from', '$days_from', and)}
    union all ${partOfDay('execution', '$days_to', '$to', and)}
    union all ${partOfDay('credit_entry', '$from', '$days_from', and)}
    union all ${partOfDay('credit_entry', '$days_to', '$to', and)}
  ) parts cross join (
    select min(first.finished_at) as execution_at,
      min(first.finished_at) filter (where a.entity_type = 'TIME_ENTRY') as time_entry_at
    from (${agents}) a cross join lateral (
      select e.finished_at from execution e
      where e.tenant_id = $1 and e.environment = $2 and e.agent_id = a.id and e.finished_at is not null
      order by e.finished_at limit 1
    ) first
  ) earliest`

// A ticket has one execution in the window that none of the same ticket precedes there.
const SUMMARY = summary({
  agents: `select id, entity_type from agent where ${OF_TENANT}`,
  unique_tickets: `sum(ticket_executions) - (
      select count(*) from ticket_repeat where ${OF_TENANT}
        and previous_at >= $from::timestamptz and previous_at < $to::timestamptz and created_at < $to::timestamptz)`,
})

// The first execution of a ticket may be of an agent that is not counted, so tickets are counted from the rows.
const summaryOfAgents = (and: string): string => `with visible as materialized (
      select a.id, a.entity_type, ($autonomy_type::text is null or a.autonomy_type = $autonomy_type::text::autonomy_type) as counted
      from agent a where a.tenant_id = $1 and a.environment = $2${and}
    ) ${summary({
      and: ' and agent_id in (select id from visible where counted)',
      agents: 'select id, entity_type from visible',
      unique_tickets: `(
      select count(*) from (
        select from execution where ${OF_TENANT} and created_at >= $from::timestamptz
          and created_at < $to::timestamptz and entity_id is not null and entity_type = 'TICKET'
          and agent_id in (select id from visible where counted)
        group by entity_id collate "C"
      ) tickets)`,
    })}`

interface Row extends NullableTotals {
  /** null: the tenant has set none. */
  timezone: string | null
}

type NullableTotals = { [Name in keyof Totals]: Totals[Name] | null }

/** The totals of the agents that the caller sees, or of those of one kind. */
export async function readTotals(
  ctx: Context,
  window: Window,
  tickets: Window,
  autonomy_type: AutonomyType | null,
): Promise<Row> {
  const days = wholeDaysOf(window)
  const visible = visibleAgents(callerOf(ctx))
  const fragment =
    visible || autonomy_type
      ? { ...visible, text: summaryOfAgents(visible ? ` and ${visible.text}` : '') }
      : { text: SUMMARY }
  const [row] = await select<Row>(ctx, 'performance.summary', fragment, {
    from: window.from,
    to: window.to,
    days_from: days.from,
    days_to: days.to,
    first_day: dayOf(days.from),
    last_day: dayOf(days.to),
    tickets_from: tickets.from,
    tickets_to: tickets.to,
    autonomy_type,
  })
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
