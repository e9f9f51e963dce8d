/** What agents did in a window, summed up by the database. */

import { callerOf } from '../../access/viewer.ts'
import { visibleAgents } from '../../access/visibility.ts'
import { scoped, sql } from '../../db/db.ts'
import { shaped } from '../../db/shaped.ts'
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

interface Shape {
  /** The condition on the rows of agents that are summed up. */
  and?: string
  /** The agents whose first executions are looked for: rows with an id and an entity_type. */
  agents: string
  unique_tickets: string
}

/**
 * `$3` to `$4` is the window: `$3` to `$5` before its whole days, `$6` to `$4` after them, and the days `$7` to `$8`.
 * Tickets received are those of the quarters of an hour `$9` to `$10`.
 */
const summary = ({ and = '', agents, unique_tickets }: Shape): string => `select ${SUMS},
    ${unique_tickets} as unique_tickets,
    (select sum(count) from tickets_received
     where ${OF_TENANT} and quarter >= $9::timestamptz and quarter < $10::timestamptz) as total_tickets_received,
    min(execution_at) as earliest_execution_at, min(time_entry_at) as earliest_time_entry_at,
    (select timezone from settings where ${OF_TENANT}) as timezone
  from (
    select ${SUMS} from execution_daily where ${OF_TENANT} and day >= $7::date and day < $8::date${and}
    union all ${partOfDay('execution', '$3', '$5', and)}
    union all ${partOfDay('execution', '$6', '$4', and)}
    union all ${partOfDay('credit_entry', '$3', '$5', and)}
    union all ${partOfDay('credit_entry', '$6', '$4', and)}
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
const SUMMARY = scoped(
  'performance.summary',
  summary({
    agents: `select id, entity_type from agent where ${OF_TENANT}`,
    unique_tickets: `sum(ticket_executions) - (
      select count(*) from ticket_repeat where ${OF_TENANT}
        and previous_at >= $3::timestamptz and previous_at < $4::timestamptz and created_at < $4::timestamptz)`,
  }),
)

// The execution that precedes another one may be of an agent that is not counted, so tickets are told apart here.
const SUMMARY_OF_AGENTS = shaped<Row>(
  'performance.summary_of_agents',
  (and) => `with visible as materialized (
      select a.id, a.entity_type, ($11::text is null or a.autonomy_type = $11::text::autonomy_type) as counted
      from agent a where a.tenant_id = $1 and a.environment = $2${and}
    ) ${summary({
      and: ' and agent_id in (select id from visible where counted)',
      agents: 'select id, entity_type from visible',
      unique_tickets: `(
      select count(*) from (
        select from execution where ${OF_TENANT} and created_at >= $3::timestamptz
          and created_at < $4::timestamptz and entity_id is not null and entity_type = 'TICKET'
          and agent_id in (select id from visible where counted)
        group by entity_id collate "C"
      ) tickets)`,
    })}`,
)

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
  const own = [
    window.from,
    window.to,
    days.from,
    days.to,
    dayOf(days.from),
    dayOf(days.to),
    tickets.from,
    tickets.to,
  ]
  const visible = visibleAgents(callerOf(ctx))
  const [row] =
    visible || autonomy_type
      ? await SUMMARY_OF_AGENTS(ctx, [...own, autonomy_type], [visible])
      : await sql<Row>(ctx, SUMMARY, own)
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
