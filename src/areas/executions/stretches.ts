/** Where the rows of a list of executions are, and how they are read: at a cost that follows from the page alone. */
import { visibleTo } from '../../access/visibility.ts'
import { type Condition, firstOf, shaped } from '../../db/shaped.ts'
import type { Context } from '../../gateway/context.ts'
import { columnsOfMany, type ExecutionRow, NEWEST_FIRST } from './execution.ts'
import type { ExecutionStatus } from './rules.ts'

/** The first rows of one stretch of an index. */
const stretch = (conditions: string): string =>
  firstOf(
    `select e.* from execution e where e.tenant_id = $1 and e.environment = $2${conditions}`,
    NEWEST_FIRST,
    '$3',
  )

// Where the rows are in several stretches of an index, each in order, a page has the first of their first rows.
// That costs the same however many rows come before them, and however many others there are.
const merged = (name: string, stretches: string, of_stretch: string) =>
  shaped<ExecutionRow>(
    name,
    (and, chosen) => `select ${chosen} from ${stretches}
      cross join lateral (${stretch(of_stretch + and)}) e order by ${NEWEST_FIRST} limit $3`,
  )

const visibleAgents = (user: string): string => `select a.id from agent a
  where a.tenant_id = $1 and a.environment = $2 and ${visibleTo(user)}`

const statuses = (values: string): string => `${values}::text[]::execution_status[]`

const ALL = shaped<ExecutionRow>(
  'executions.all',
  (and, chosen) => `select ${chosen} from (${stretch(and)}) e order by ${NEWEST_FIRST}`,
)
const OF_STATUSES = merged(
  'executions.of_statuses',
  `unnest(${statuses('$4')}) as wanted (status)`,
  ' and e.status = wanted.status',
)
const OF_VISIBLE = merged(
  'executions.of_visible',
  `(${visibleAgents('$4::text')}) a`,
  ' and e.agent_id = a.id',
)
const OF_VISIBLE_AND_STATUSES = merged(
  'executions.of_visible_and_statuses',
  `(${visibleAgents('$4::text')}) a cross join unnest(${statuses('$5')}) as wanted (status)`,
  ' and e.agent_id = a.id and e.status = wanted.status',
)

export const given = (name: string, text: string, value: unknown): Condition | null =>
  value == null ? null : { name, text, values: [value] }

/** What is listed. */
export interface Wanted {
  /** Whose agents; null: everybody's. */
  user: string | null
  agent_id: number | null
  status: readonly ExecutionStatus[] | null
  /** Conditions whose values decide how the rows are best found. */
  selective: readonly Condition[]
  /** What the rows must meet, whichever stretches they are in. */
  conditions: readonly (Condition | null)[]
  fields: ReadonlySet<string>
}

/** The newest of the rows. */
export function readNewest(ctx: Context, wanted: Wanted, limit: number): Promise<ExecutionRow[]> {
  const { user, agent_id, status, selective, conditions } = wanted
  const chosen = columnsOfMany(wanted.fields)
  if (selective.length > 0) return find(ctx, wanted, limit)
  if (user !== null) {
    // Of an agent that the user does not see, nothing is read.
    const agent = given('agent', 'a.id = ?::int', agent_id)
    if (status === null) return OF_VISIBLE(ctx, [limit, user], [agent, ...conditions], chosen)
    return OF_VISIBLE_AND_STATUSES(ctx, [limit, user, status], [agent, ...conditions], chosen)
  }
  const agent = given('agent', 'e.agent_id = ?::int', agent_id)
  if (status === null) return ALL(ctx, [limit], [agent, ...conditions], chosen)
  return OF_STATUSES(ctx, [limit, status], [agent, ...conditions], chosen)
}

const OF_VISIBLE_AGENTS = { name: 'visible', text: `e.agent_id = any(array(${visibleAgents('?::text')}))` }

/** PostgreSQL looks in a selective condition’s index where few rows meet it, else in the newest rows: once, not by stretch. */
function find(ctx: Context, wanted: Wanted, limit: number): Promise<ExecutionRow[]> {
  const { user, agent_id, status, selective, conditions } = wanted
  const visible = user === null ? null : { ...OF_VISIBLE_AGENTS, values: [user, user] }
  return ALL(
    ctx,
    [limit],
    [
      visible,
      given('agent', 'e.agent_id = ?::int', agent_id),
      given('statuses', `e.status = any(${statuses('?')})`, status),
      ...selective,
      ...conditions,
    ],
    columnsOfMany(wanted.fields),
  )
}
