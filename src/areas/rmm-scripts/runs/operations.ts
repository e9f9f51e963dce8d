/** The operations that read runs of scripts. */
import { scope } from '../../../access/policies/policies.ts'
import { addPages, listOperation } from '../../../schema/lists/list-operation.ts'
import { onTable } from '../../../schema/tables/operations.ts'
import { Execution, executionId, requireExecution } from '../../executions/index.ts'
import { area } from '../area.ts'
import { EXECUTION_RUNS, RUN, RUNS, RUNS_OF_EXECUTION } from './queries.ts'
import { RmmScriptRun } from './run.ts'

const readers = scope('rmm_scripts:read')

const runs = onTable(area, RUN)

runs.list('rmm_script_runs', RUNS, {
  description:
    'Lists the runs of scripts, the newest first. A run of an agent is seen as the agent is, and any other by everybody.',
  rest: { method: 'GET', path: '/rmm-script-runs' },
  access: readers,
})

runs.read('rmm_script_run', {
  description: 'Gets a run of a script. One that the caller does not see is not found.',
  rest: { method: 'GET', path: '/rmm-script-runs/{run_id}' },
  access: readers,
})

listOperation(area, 'execution_rmm_script_runs', EXECUTION_RUNS, {
  of: RmmScriptRun,
  description: 'Lists the runs of scripts that an execution asked for, the newest first.',
  rest: { method: 'GET', path: '/executions/{execution_id}/rmm-script-runs' },
  access: readers,
  errors: ['execution_not_found'],
  args: { execution_id: executionId },
  check: (ctx, { execution_id }) => requireExecution(ctx, String(execution_id)),
})

addPages(Execution, 'rmm_script_runs', RUNS_OF_EXECUTION, 'execution_id', {
  of: RmmScriptRun,
  access: readers,
  description: 'The runs of scripts that the execution asked for.',
})
