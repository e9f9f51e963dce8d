import { scope } from '../../access/policies/policies.ts'
import type { Context } from '../../gateway/context.ts'
import { addPages, listOperation } from '../../schema/lists/list-operation.ts'
import { AFTER, follow } from '../../schema/live/live.ts'
import { wantedFields } from '../../schema/selection.ts'
import { Agent } from '../agents/index.ts'
import { area } from './area.ts'
import './events.ts'
import './cancel.ts'
import { Execution, type ExecutionRow, executionId } from './execution.ts'
import { ExecutionRun } from './execution-run.ts'
import {
  EXECUTION_RUNS,
  EXECUTION_TIMELINE,
  EXECUTIONS,
  EXECUTIONS_OF_AGENT,
  RUNS_OF_EXECUTION,
  readExecution,
  requireExecution,
  TIMELINE_OF_EXECUTION,
} from './queries.ts'
import './starting/retry.ts'
import './starting/run-now.ts'
import './tool-calls.ts'
import { isUnderWay } from './engine/rules/transitions.ts'
import { TimelineEvent } from './timeline-event.ts'
import { EXECUTION_EVENTS, ExecutionUpdate } from './updates.ts'
import { changesOf } from './wait.ts'

listOperation(area, 'executions', EXECUTIONS, {
  of: Execution,
  description:
    'Lists the executions of the agents that the caller sees, the newest first, then by `execution_id` downwards.',
  rest: { method: 'GET', path: '/executions' },
  access: scope('executions:read'),
})

const MAX_WAIT_SECONDS = 60

/** The execution once its status has changed; as it is, if the service itself does not move it on. */
async function readChanged(
  ctx: Context,
  execution_id: string,
  wanted: ReadonlySet<string>,
  seconds: number,
): Promise<ExecutionRow> {
  const changes = await changesOf(ctx, execution_id, seconds)
  try {
    const read = () => readExecution(ctx, execution_id, wanted, ['status'])
    const first = await read()
    if (!isUnderWay(first.status)) return first
    for (;;) {
      await changes.next()
      const execution = await read()
      if (execution.status !== first.status || changes.over()) return execution
    }
  } finally {
    changes.end()
  }
}

area.query('execution', (t) =>
  t.field({
    type: Execution,
    description:
      'Gets an execution. An execution of an agent that the caller does not see is answered as one that does not exist.',
    rest: { method: 'GET', path: '/executions/{execution_id}' },
    access: scope('executions:read'),
    errors: ['execution_not_found'],
    waits: ({ wait_seconds }) => Number(wait_seconds ?? 0),
    args: {
      execution_id: t.arg(executionId),
      wait_seconds: t.arg.int({
        min: 0,
        max: MAX_WAIT_SECONDS,
        description:
          'Waits so long for another status, while the execution is NEW or RUNNING. With any other status the answer ' +
          'comes at once.',
      }),
    },
    resolve: (_root, { execution_id, wait_seconds }, ctx, info) => {
      const wanted = wantedFields(info)
      return wait_seconds
        ? readChanged(ctx, execution_id, wanted, wait_seconds)
        : readExecution(ctx, execution_id, wanted)
    },
  }),
)

listOperation(area, 'execution_runs', EXECUTION_RUNS, {
  of: ExecutionRun,
  description:
    'Lists the runs of an execution, the first one first. Each decision of a technician resumes the work as a new run.',
  rest: { method: 'GET', path: '/executions/{execution_id}/runs' },
  access: scope('executions:read'),
  errors: ['execution_not_found'],
  args: { execution_id: executionId },
  check: (ctx, { execution_id }) => requireExecution(ctx, String(execution_id)),
})

listOperation(area, 'execution_timeline', EXECUTION_TIMELINE, {
  of: TimelineEvent,
  description: 'Lists what happened in an execution, from its beginning on.',
  rest: { method: 'GET', path: '/executions/{execution_id}/timeline' },
  access: scope('executions:read'),
  errors: ['execution_not_found'],
  args: { execution_id: executionId },
  check: (ctx, { execution_id }) => requireExecution(ctx, String(execution_id)),
})

area.subscription('execution_updates', (t) =>
  t.field({
    type: ExecutionUpdate,
    description:
      'Tells of executions that are new or change: their status, their runs, their requests to technicians and their ' +
      'message; counters alone are no update. The caller gets those that they could read.',
    access: scope('executions:read'),
    errors: ['execution_not_found', 'invalid_cursor'],
    args: {
      execution_id: t.arg({ type: 'ID', description: 'Only this execution.' }),
      agent_id: t.arg.int({ min: 1, description: 'Only executions of this agent, by its `id`.' }),
      after: t.arg(AFTER),
    },
    subscribe: async (_root, args, ctx) => {
      if (args.execution_id) await readExecution(ctx, args.execution_id, new Set())
      return await follow(ctx, 'execution_updates', EXECUTION_EVENTS, args)
    },
    resolve: (update) => update,
  }),
)

addPages(Execution, 'runs', RUNS_OF_EXECUTION, 'execution_id', {
  of: ExecutionRun,
  description: 'The runs, the first one first.',
})

addPages(Execution, 'timeline', TIMELINE_OF_EXECUTION, 'execution_id', {
  of: TimelineEvent,
  description: 'Its events, from the beginning on.',
})

// Contract silent: a relation into another area needs that area's scope too.
addPages(Agent, 'executions', EXECUTIONS_OF_AGENT, 'id', {
  of: Execution,
  access: scope('executions:read'),
  description: 'The agent’s executions, in the order of the list of all. A CONVERSATIONAL agent has none.',
})
