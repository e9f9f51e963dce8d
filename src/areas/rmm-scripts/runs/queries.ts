/** The table of runs of scripts, and their lists. */
import { descending } from '../../../db/query/keyset.ts'
import { ApiError } from '../../../errors/errors.ts'
import { defineNestedList } from '../../../schema/lists/nested-list.ts'
import { ofAgentsOrNone } from '../../../schema/lists/of-agents.ts'
import { defineTable } from '../../../schema/tables/table.ts'
import { finishedEvent } from './events.ts'
import { RmmScriptRun, type ScriptRunRow, type ScriptRunStatus, scriptRunEtag, TAGGED } from './run.ts'

const OF_AGENTS = ofAgentsOrNone('r')

export const RUN = defineTable<ScriptRunRow, ScriptRunStatus>()('RmmScriptRun', {
  alias: 'r',
  noun: 'rmm_script_run',
  type: RmmScriptRun,
  argument: 'run_id',
  description: 'The id of the run.',
  not_found: 'rmm_script_run_not_found',
  prefix: 'rsr',
  title: ({ script_name }) => script_name,
  etag: scriptRunEtag,
  // The output is in the run alone, and secrets and the RMM's own marks are nowhere else.
  recorded: ({
    stdout: _stdout,
    stderr: _stderr,
    secrets: _secrets,
    mark: _mark,
    external_run_id: _external,
    ...run
  }) => run,
  ...OF_AGENTS.sight,
  constant: ['script_id', 'script_name', 'device_id', 'parameters', 'timeout_seconds', 'tool_call_id'],
  unread: ['agent_or_none'],
  tagged: TAGGED,
  events: (verb, run) => (verb === 'finished' ? [finishedEvent(run)] : []),
  state: {
    of: ({ status }) => status,
    refusal: (_run, status) =>
      new ApiError('script_run_not_cancellable', { details: { current_status: status } }),
  },
})

const FACETS = { status: 'r.status' }

/** The runs whose column is the id, which many runs have, and of many agents. */
const ofId = (column: 'script_id' | 'device_id' | 'psa_company_id', description: string) => ({
  ...RUN.by.is(column, description),
  where: (id: string | number) => ({
    text: `r.${column} = ?::text`,
    values: [id],
    is_indexed_by_agent: true as const,
  }),
})

/** The runs that the caller sees, the newest first. */
export const RUNS = RUN.list({
  name: 'rmm_script_runs',
  facets: FACETS,
  facets_of_agents: FACETS,
  ...OF_AGENTS.by_agent,
  filters: {
    status: RUN.by.isOneOf('status', 'Only runs with one of these statuses', 'facet'),
    script_id: ofId('script_id', 'Only runs of this script.'),
    device_id: ofId('device_id', 'Only runs on the device with this id in the RMM.'),
    execution_id: RUN.by.is('execution_id', 'Only runs that this execution asked for.', 'indexed'),
    agent_id: OF_AGENTS.agent_id('Only runs that this agent asked for, by its `id`.'),
    entity_id: RUN.by.is(
      'entity_id',
      'Only runs about the ticket or time entry with this id in the PSA.',
      'indexed',
    ),
    psa_company_id: ofId('psa_company_id', 'Only runs on devices of the company with this id in the PSA.'),
    from: RUN.by.since('created_at', 'runs asked for'),
    to: RUN.by.before('created_at', 'runs asked for'),
  },
})

/** The runs that one execution asked for, the newest first. Its runs are seen as the execution is. */
export const EXECUTION_RUNS = RUN.list({
  name: 'execution_rmm_script_runs',
  where: 'r.execution_id = $execution_id::text',
  visible: () => null,
  parameters: { execution_id: (_ctx, { execution_id }) => execution_id },
  filters: {},
})

/** The runs that each of several executions asked for. */
export const RUNS_OF_EXECUTION = defineNestedList<ScriptRunRow>({
  name: 'Execution.rmm_script_runs',
  from: RUN.from,
  columns: RUN.columns,
  order: [descending('created_at', 'timestamptz'), descending('id', 'text')],
  parent: { column: 'r.execution_id', type: 'text' },
})
