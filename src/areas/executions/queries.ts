/** The SQL of executions. */
import { callerOf } from '../../access/viewer.ts'
import { restrictedUser, visibleAgents, visibleTo } from '../../access/visibility.ts'
import { keyOf, selectComposed } from '../../db/fragment.ts'
import { descending } from '../../db/keyset.ts'
import type { Condition } from '../../db/list.ts'
import { projection } from '../../db/projection.ts'
import { found } from '../../errors.ts'
import type { Context } from '../../gateway/context.ts'
import { SEARCH } from '../../schema/bounds.ts'
import { contains, defineList } from '../../schema/list.ts'
import { defineNestedList } from '../../schema/nested-list.ts'
import { Id } from '../../schema/scalars.ts'
import { ExecutionResolution, type ExecutionRow, ExecutionStatus, ExecutionTrigger } from './execution.ts'

/** The columns of `execution e`, with the SQL of its agent's name. */
const columnsWith = (agent_name: string) =>
  projection('Execution', 'e', { computed: { agent_name }, always: ['execution_id', 'agent_id'] })

/** In lists the names of agents are looked up for the rows of the page alone. */
const columns = columnsWith(`(select a.name from agent a
  where a.tenant_id = e.tenant_id and a.environment = e.environment and a.id = e.agent_id)`)

const NEWEST_FIRST = [descending('created_at', 'timestamptz'), descending('execution_id', 'text')]

/** The executions of agents that the user sees: one range of the agents' index for each of them. */
function ofVisibleAgents(of_one: boolean): Condition {
  const agents = `select a.id from agent a
    where a.tenant_id = $1 and a.environment = $2 and ${visibleTo('$user::text')}`
  return {
    text: `e.agent_id = any(array(${agents}))`,
    range: { rows: `(${agents}${of_one ? ' and a.id = $agent_id::int' : ''}) a`, on: 'e.agent_id = a.id' },
  }
}

const OF_VISIBLE_AGENTS = ofVisibleAgents(false)
const OF_VISIBLE_AGENT = ofVisibleAgents(true)

const STATUSES = '?::text[]::execution_status[]'

// Contract silent: an agent that the caller does not see, or that is not there, has no executions to list.
/** The executions of the agents that the caller sees. */
export const EXECUTIONS = defineList<ExecutionRow>()({
  name: 'executions',
  from: 'execution e',
  columns,
  order: NEWEST_FIRST,
  parameters: {
    user: (ctx) => restrictedUser(callerOf(ctx)),
    agent_id: (_ctx, { agent_id }) => agent_id,
  },
  visible: (ctx, { agent_id }) => {
    if (restrictedUser(callerOf(ctx)) === null) return null
    return agent_id == null ? OF_VISIBLE_AGENTS : OF_VISIBLE_AGENT
  },
  filters: {
    agent_id: {
      type: 'Int',
      min: 1,
      description: 'Only executions of this agent, by its `id`.',
      where: 'e.agent_id = $agent_id::int',
    },
    status: {
      type: [ExecutionStatus],
      min_items: 1,
      description: 'Only executions that stand at one of these: separated by commas, or repeated.',
      where: (statuses) => {
        const values = [[...new Set(statuses)].sort()]
        return {
          text: `e.status = any(${STATUSES})`,
          values,
          range: { rows: `unnest(${STATUSES}) as wanted (status)`, values, on: 'e.status = wanted.status' },
        }
      },
    },
    entity_id: {
      type: Id,
      description: 'Only executions on this ticket or time entry.',
      where: 'e.entity_id = ?::text',
    },
    supervised: {
      type: 'Boolean',
      description: 'true: only supervised ones. false: only the others.',
      where: 'e.supervised = ?::boolean',
    },
    resolution: {
      type: ExecutionResolution,
      description: 'Only executions whose work came this far.',
      where: 'e.resolution = ?::text::execution_resolution',
    },
    trigger: {
      type: ExecutionTrigger,
      description: 'Only executions that this started.',
      where: 'e.trigger = ?::text::execution_trigger',
    },
    from: {
      type: 'DateTime',
      description: 'Only executions created at this instant or later.',
      where: 'e.created_at >= ?::timestamptz',
    },
    to: {
      type: 'DateTime',
      description: 'Only executions created before this instant, which must be later than `from`.',
      // Every cursor is before `to`, and with both conditions PostgreSQL would start its scan at `to`.
      where: (to) => ({ text: 'e.created_at < ?::timestamptz', values: [to], is_start: true }),
    },
    updated_since: {
      type: 'DateTime',
      description: 'Only executions whose `updated_at` is this instant or later. The order stays.',
      where: (instant) => ({ text: 'e.updated_at >= ?::timestamptz', values: [instant], custom_plan: true }),
    },
    search: {
      ...SEARCH,
      type: 'String',
      description: 'Only executions with this in `entity_number` or `message_for_dashboard`.',
      where: (text) => ({ ...contains('e.search_text')(text), custom_plan: true }),
    },
  },
})

/** The executions of each agent of a list of agents. */
export const EXECUTIONS_OF_AGENT = defineNestedList<ExecutionRow>({
  name: 'Agent.executions',
  from: 'execution e',
  columns,
  order: NEWEST_FIRST,
  parent: { column: 'e.agent_id', type: 'int' },
})

const joined = columnsWith('a.name')

/** The execution, with the fields that are wanted; 404 where the caller does not see its agent. */
export async function readExecution(
  ctx: Context,
  execution_id: string,
  wanted: ReadonlySet<string>,
): Promise<ExecutionRow> {
  const selected = joined.select(wanted)
  const { text: visible = 'true', values = [] } = visibleAgents(callerOf(ctx)) ?? {}
  const compose = () => `select ${selected} from execution e
    join agent a on a.tenant_id = e.tenant_id and a.environment = e.environment and a.id = e.agent_id
    where e.tenant_id = $1 and e.environment = $2 and e.execution_id = $id::text and ${visible}`
  const key = keyOf(['execution', selected, visible])
  const [row] = await selectComposed<ExecutionRow>(
    ctx,
    'execution',
    { key, compose, values },
    { id: execution_id },
  )
  return found(row, 'execution_not_found', execution_id)
}
