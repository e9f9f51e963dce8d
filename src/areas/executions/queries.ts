/** The SQL of executions. */

import { ofAgent, ofVisibleAgents, restrictedUser, visibleTo } from '../../access/policies/visibility.ts'
import { callerOf } from '../../access/viewer.ts'
import { type DatabaseContext, db } from '../../db/db.ts'
import { keyOf, select, selectComposed } from '../../db/query/fragment.ts'
import { ascending, descending } from '../../db/query/keyset.ts'
import { SHORT, spanning } from '../../db/query/lasting.ts'
import type { Condition } from '../../db/query/list.ts'
import { projection } from '../../db/query/projection.ts'
import { found } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { filtersOf } from '../../schema/lists/column-filters.ts'
import { rowLoader } from '../../schema/lists/data-loader.ts'
import { type Arguments, defineList, searchFor } from '../../schema/lists/list.ts'
import { defineNestedList } from '../../schema/lists/nested-list.ts'
import { NO_FIELDS } from '../../schema/selection.ts'
import { agentName, joinAgent } from '../agents/index.ts'
import type { ExecutionRow } from './execution.ts'
import type { ExecutionRunRow } from './execution-run.ts'
import type { TimelineEventRow } from './timeline-event.ts'

const by = filtersOf('Execution', 'e')

// An index of open requests alone has few entries.
const PENDING_TIL_REQUESTS = `(select count(*)::int from til_request r
  where r.tenant_id = e.tenant_id and r.environment = e.environment and r.execution_id = e.execution_id
    and r.status = 'PENDING')`

/** The columns of `execution e`, with the SQL of its agent's name. */
const columnsWith = (agent_name: string) =>
  projection('Execution', 'e', {
    computed: { agent_name, pending_til_request_count: PENDING_TIL_REQUESTS },
    always: ['execution_id'],
  })

/** In lists the names of agents are looked up for the rows of the page alone. */
const columns = columnsWith(agentName('e'))

const NEWEST_FIRST = [descending('created_at', 'timestamptz'), descending('execution_id', 'text')]

const OF_VISIBLE_AGENTS = ofVisibleAgents('e.agent_id')
const OF_AGENT = ofAgent('e.agent_id', '$agent_id::int')
const OF_VISIBLE_AGENT = ofVisibleAgents('e.agent_id', '$agent_id::int')

const FACETS = {
  status: 'e.status',
  trigger: 'e.trigger',
  supervised: 'e.supervised',
  resolution: 'e.resolution',
}

/** Executions that are updated since an instant were created since, or shortly before. `changedSince` finds the others. */
const createdSince = (instant: unknown): Condition => ({
  text: `e.created_at >= ?::timestamptz - ${SHORT} and e.updated_at >= ?::timestamptz`,
  values: [instant, instant],
})
const changedSince = spanning({
  from: 'execution e',
  id: 'execution_id',
  began: 'created_at',
  ended: 'updated_at',
})

// Contract silent: an agent that the caller does not see, or that is not there, has no executions to list.
/** The executions of the agents that the caller sees. */
export const EXECUTIONS = defineList<ExecutionRow>()({
  name: 'executions',
  from: 'execution e',
  columns,
  facets: FACETS,
  facets_of_agents: FACETS,
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
      where: () => OF_AGENT,
    },
    status: by.isOneOf('status', 'Only executions that stand at one of these', 'facet'),
    entity_id: by.is('entity_id', 'Only executions on this ticket or time entry.', 'indexed'),
    supervised: by.is('supervised', 'true: only supervised ones. false: only the others.', 'facet'),
    resolution: by.is('resolution', 'Only executions whose work came this far.', 'facet'),
    trigger: by.is('trigger', 'Only executions that this started.', 'facet'),
    from: by.since('created_at', 'executions created'),
    to: by.before('created_at', 'executions created'),
    updated_since: {
      type: 'DateTime',
      description: 'Only executions whose `updated_at` is this instant or later. The order stays.',
      where: (instant) => ({
        text: 'e.updated_at >= ?::timestamptz',
        values: [instant],
        either: [createdSince(instant), changedSince(instant)],
      }),
    },
    search: searchFor(
      'e.search_text',
      'Only executions with this in `entity_number`, `entity_id` or `message_for_dashboard`.',
    ),
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

const SEEN = visibleTo('$user::text')

const user = (ctx: Context): string | null => restrictedUser(callerOf(ctx))

/** The condition that the caller sees the agent of the execution. */
const seen = (ctx: Context): string => (user(ctx) === null ? 'true' : SEEN)

/** The execution, with the fields that are wanted; 404 if the caller does not see its agent. */
export async function readExecution(
  ctx: Context,
  execution_id: string,
  wanted: ReadonlySet<string>,
  also: readonly string[] = [],
): Promise<ExecutionRow> {
  const selected = joined.select(wanted, also)
  const condition = seen(ctx)
  const compose = () => `select ${selected} from execution e
    ${joinAgent('e')}
    where e.tenant_id = $1 and e.environment = $2 and e.execution_id = $id::text and ${condition}`
  const key = keyOf(['execution', selected, condition])
  const values = { id: execution_id, user: user(ctx) }
  const [row] = await selectComposed<ExecutionRow>(ctx, 'execution', { key, compose }, values)
  return found(row, 'execution_not_found', execution_id)
}

/** 404 if the caller does not see the execution's agent: its runs and events are for no other caller. */
export async function requireExecution(ctx: Context, execution_id: string): Promise<void> {
  await readExecution(ctx, execution_id, NO_FIELDS)
}

const AGENT_NAME: ReadonlySet<string> = new Set(['agent_name'])

/** The name of the execution's agent; 404 if the caller does not see the agent. */
export async function agentNameOf(ctx: Context, execution_id: string): Promise<string> {
  const { agent_name } = await readExecution(ctx, execution_id, AGENT_NAME)
  return agent_name as string
}

/** The execution, with the fields that are wanted; null if the caller does not see its agent. */
export const executionIfSeen = rowLoader<string, ExecutionRow>(
  (ctx, ids, fields) => {
    const text = `select ${joined.select(fields)} from execution e
      ${joinAgent('e')}
      where e.tenant_id = $1 and e.environment = $2 and e.execution_id in (select unnest($ids::text[]))
        and ${seen(ctx)}`
    return select(ctx, 'execution', { text }, { ids, user: user(ctx) })
  },
  ({ execution_id }) => execution_id,
)

const OF_EXECUTION = { execution_id: (_ctx: Context, { execution_id }: Arguments) => execution_id }
const IN_SEQUENCE = [ascending('sequence', 'int')]

const runs = {
  from: 'execution_run r',
  columns: projection('ExecutionRun', 'r', { always: ['temporal_run_id'] }),
  order: IN_SEQUENCE,
}

/** The runs of one execution. */
export const EXECUTION_RUNS = defineList<ExecutionRunRow>()({
  ...runs,
  name: 'execution_runs',
  where: 'r.execution_id = $execution_id::text',
  parameters: OF_EXECUTION,
  filters: {},
})

/** The id of the execution's first run; null: no worker has taken the execution up. */
export async function firstRun(ctx: DatabaseContext, execution_id: string): Promise<string | null> {
  const first = { where: { execution_id }, orderBy: { sequence: 'asc' as const } }
  return (await db(ctx).executionRun.findFirst(first))?.temporal_run_id ?? null
}

/** The runs of each of several executions. */
export const RUNS_OF_EXECUTION = defineNestedList<ExecutionRunRow>({
  ...runs,
  name: 'Execution.runs',
  parent: { column: 'r.execution_id', type: 'text' },
})

const timeline = {
  from: 'timeline_event t',
  columns: projection('TimelineEvent', 't', { always: ['id'] }),
  order: IN_SEQUENCE,
}

/** The events of one execution. */
export const EXECUTION_TIMELINE = defineList<TimelineEventRow>()({
  ...timeline,
  name: 'execution_timeline',
  where: 't.execution_id = $execution_id::text',
  parameters: OF_EXECUTION,
  filters: {},
})

/** The events of each of several executions. */
export const TIMELINE_OF_EXECUTION = defineNestedList<TimelineEventRow>({
  ...timeline,
  name: 'Execution.timeline',
  parent: { column: 't.execution_id', type: 'text' },
})

const COMPLETION: ReadonlySet<string> = new Set(['execution_id', 'agent_id', 'status'])

/** The agent of the execution, if the execution is COMPLETED and the caller sees the agent; otherwise null. */
export async function completedAgentOf(ctx: Context, execution_id: string): Promise<number | null> {
  const execution = await executionIfSeen(ctx, { id: execution_id, fields: COMPLETION })
  return execution?.status === 'COMPLETED' ? execution.agent_id : null
}

/** The work of an execution: what it is on. */
interface Work {
  execution_id: string
  agent_id: number
  entity_type: string
  entity_id: string | null
  entity_number: string | null
  psa_company_id: string | null
}

/** The work of the execution; null if it is not kept. */
export async function workOf(ctx: DatabaseContext, execution_id: string): Promise<Work | null> {
  const select = {
    execution_id: true,
    agent_id: true,
    entity_type: true,
    entity_id: true,
    entity_number: true,
    psa_company_id: true,
  }
  return await db(ctx).execution.findFirst({ where: { execution_id }, select })
}

interface Report {
  status: ExecutionRow['status']
  agent_id: number
  agent_name: string
  failure_kind: string | null
  error: string | null
}

/** The state of an execution for people who look for its failure, seen or not; null: there is none. */
export async function reportOf(ctx: DatabaseContext, execution_id: string): Promise<Report | null> {
  const select = {
    status: true,
    agent_id: true,
    failure_kind: true,
    error: true,
    agent: { select: { name: true } },
  }
  const execution = await db(ctx).execution.findFirst({ where: { execution_id }, select })
  if (!execution) return null
  const { agent, ...report } = execution
  return { ...report, agent_name: agent.name }
}
