/** Scripts of the RMM, under the tenant's rules about them. */
import type { AskedRun, ScriptRefusal } from '../../connectors/scripting.ts'
import { ToolFailure, type ToolFailureCode } from '../failure.ts'
import { type Call, type Executor, type Ports, ResultPending, readsFrom } from '../tool-context.ts'

interface RunScript {
  device_id: string
  script_id: string
  parameters?: Record<string, unknown>
}

const askedRun = ({ rmm }: Ports, args: RunScript, { run }: Call): AskedRun => ({
  script_id: args.script_id,
  device_id: args.device_id,
  parameters: args.parameters ?? {},
  agent_id: run.agent_id,
  agent_name: run.agent_name,
  execution_id: run.execution_id,
  rmm,
})

const failed = ({ problem, arguments: named }: ScriptRefusal): ToolFailure =>
  new ToolFailure(problem.toLowerCase() as ToolFailureCode, { arguments: named })

/** The failures of a run that was not started, by the error codes of runs. */
const NOT_STARTED: Readonly<Record<string, ToolFailureCode>> = {
  device_not_found: 'device_not_found',
  device_offline: 'device_offline',
  not_supported_by_system: 'not_supported',
  platform_mismatch: 'platform_mismatch',
  script_changed_since_approval: 'script_changed_since_approval',
  script_not_enabled: 'script_not_enabled',
  script_removed: 'script_removed',
  secret_required: 'secret_required',
  upstream_unavailable: 'integration_unavailable',
}

const runScript: Executor = {
  async prepare(ports, args: RunScript, call) {
    const prepared = await ports.scripting.prepare(askedRun(ports, args, call), call.key)
    if ('problem' in prepared) throw failed(prepared)
    return prepared
  },
  async execute(ports, args: RunScript, call) {
    const ended = await ports.scripting.run(askedRun(ports, args, call), call.key)
    if (ended === 'PENDING') throw new ResultPending()
    if ('problem' in ended) throw failed(ended)
    if (ended.status === 'CANCELLED') throw new ToolFailure('script_run_cancelled')
    const failure = NOT_STARTED[ended.error_code ?? '']
    if (failure) throw new ToolFailure(failure)
    return { ...ended }
  },
  outcomeOf: ({ scripting }, _args, { key }) => scripting.outcomeOf(key),
  isPending: ({ scripting }, key) => scripting.isPending(key),
}

const MOST_SCRIPTS = 20

export const SCRIPT_EXECUTORS = {
  'device.run_script': runScript,
  'device.list_scripts': readsFrom(
    async ({ scripting }, { query = '', limit = MOST_SCRIPTS }: { query?: string; limit?: number }) => ({
      results: await scripting.search(query, limit),
    }),
  ),
}
