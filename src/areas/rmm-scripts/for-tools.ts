/** Scripts of the RMM, as agents run them. */
import { hash } from 'node:crypto'
import type { PortContext } from '../../connectors/port.ts'
import type { RmmScriptParameter } from '../../connectors/rmm.ts'
import type {
  AgentScript,
  AskedRun,
  EndedRun,
  PreparedRun,
  ScriptingConnector,
  ScriptProblem,
  ScriptRefusal,
} from '../../connectors/scripting.ts'
import { scoped, sql, tenancyOf } from '../../db/db.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Services } from '../../gateway/context.ts'
import { serviceContext } from '../../jobs/service-context.ts'
import { searchable, wordPatterns } from '../../lib/like-pattern.ts'
import { workOf } from '../executions/index.ts'
import { connectedRmm } from './connected.ts'
import {
  type Examined,
  examine,
  missingIn,
  type Problem,
  type StoredScript,
  storedScript,
} from './runs/examine.ts'
import { RUN } from './runs/queries.ts'
import { secretNames } from './runs/rules/parameters.ts'
import { isOver, needsApproval, scriptProblem } from './runs/rules/steps.ts'
import type { ScriptRunRow } from './runs/run.ts'
import { queueRun, type StoringContext, storeRun, waitForRequest } from './runs/store.ts'
import { runInWords } from './runs/wording.ts'

/** The id of the run that a tool call asks for. */
const idOf = (key: string): string => `rsr_${hash('sha256', key).slice(0, 22)}`

const SEARCH = scoped(
  'rmm_scripts.for_agents',
  `select s.id as script_id, s.name, coalesce(s.agent_description, s.description) as description, s.shell,
     s.platforms::text[] as platforms, s.risk, s.approval, s.parameters, s.secret_parameters
   from rmm_script s
   where s.tenant_id = $1 and s.environment = $2 and s.system = $3::text and s.agent_enabled and s.removed_at is null
     and ${searchable(`concat_ws(' ', s.name, s.agent_description, s.description)`)} like all($4::text[])
   order by s.name, s.id limit $5::int`,
)

interface Found extends Omit<AgentScript, 'needs_approval'> {
  parameters: RmmScriptParameter[]
  approval: string
  secret_parameters: string[]
}

function forAgents({ approval, secret_parameters, ...script }: Found): AgentScript {
  const secret = secretNames({ parameters: script.parameters, secret_parameters })
  const parameters = script.parameters.map((parameter) => {
    const is_secret = secret.has(parameter.name)
    return { ...parameter, secret: is_secret, default: is_secret ? null : parameter.default }
  })
  return { ...script, parameters, needs_approval: needsApproval({ ...script, approval }) }
}

const PROBLEMS: Readonly<Record<Exclude<Problem['code'], 'parameters'>, ScriptProblem>> = {
  script_not_found: 'SCRIPT_NOT_FOUND',
  script_removed: 'SCRIPT_REMOVED',
  script_not_enabled: 'SCRIPT_NOT_ENABLED',
  device_not_found: 'DEVICE_NOT_FOUND',
  platform_mismatch: 'PLATFORM_MISMATCH',
}

function refusalOf(problem: Problem): ScriptRefusal {
  if (problem.code !== 'parameters') return { problem: PROBLEMS[problem.code], arguments: [] }
  const is_secret = problem.problems.some(({ code }) => code === 'secret_required')
  const named = problem.problems.map(({ name }) => `parameters.${name}`)
  return { problem: is_secret ? 'SECRET_REQUIRED' : 'PARAMETERS_INVALID', arguments: named }
}

/** The end of the run as the agent gets it; null: the run has not ended. */
const endOf = ({ id, status, exit_code, stdout, stderr, error_code }: ScriptRunRow): EndedRun | null =>
  isOver({ status }) ? { run_id: id, status, exit_code, stdout, stderr, error_code } : null

/** True for a run that was claimed, unless it FAILED before the RMM took it. */
const isSent = ({ status, sent_at }: ScriptRunRow): boolean =>
  ['RUNNING', 'SUCCEEDED', 'TIMED_OUT'].includes(status) || (status === 'FAILED' && sent_at !== null)

/** True if neither the service nor the RMM can tell whether the script was started. */
const isUnknown = ({ error_code }: ScriptRunRow): boolean => error_code === 'outcome_unknown'

/** The refusal of a run that was cancelled before technicians had decided, or before it was sent; null for any other run. */
function cancelled(run: ScriptRunRow, script: StoredScript): ScriptRefusal | null {
  if (run.status !== 'CANCELLED') return null
  const problem = scriptProblem({ ...run, is_bound: true }, script) ?? 'script_run_cancelled'
  return { problem: problem.toUpperCase() as Uppercase<typeof problem>, arguments: [] }
}

const QUEUE_MS = 10_000

/** The services of the process are there once it makes calls. */
export const scriptingForTools =
  (services: () => Services): ScriptingConnector =>
  (ctx) => {
    const own = (key: string): StoringContext => ({
      ...serviceContext(services(), 'rmm_scripts.run', key, tenancyOf(ctx)),
      db_time: ctx.db_time,
      transaction: ctx.transaction,
      now: ctx.now,
    })

    const examined = async (asked: AskedRun): Promise<Examined | ScriptRefusal> => {
      const unsupported = await services().connectors.unsupportedCalls(ctx)
      if (unsupported.rmm.has('startScript')) return { problem: 'NOT_SUPPORTED', arguments: [] }
      const found = await examine(ctx, asked.rmm, asked, { by: 'AGENT', is_bound: true })
      return 'code' in found ? refusalOf(found) : found
    }

    /** The columns of a run that the agent asks for. */
    async function askerOf(asked: AskedRun, key: string, { script }: Examined) {
      const { agent_id, agent_name, execution_id } = asked
      const work = execution_id === null ? null : await workOf(ctx as PortContext, execution_id)
      return {
        id: idOf(key),
        timeout_seconds: script.default_timeout_seconds,
        agent_id,
        agent_name,
        execution_id,
        tool_call_id: execution_id === null ? null : key,
        entity_id: work?.entity_id ?? null,
        entity_number: work?.entity_number ?? null,
        is_bound: true,
        requested_by_name: agent_name,
      }
    }

    return {
      async search(words, limit) {
        const system = await connectedRmm(ctx)
        return (await sql<Found>(ctx, SEARCH, [system, wordPatterns(words), limit])).map(forAgents)
      },

      async prepare(asked, key) {
        const waiting = await RUN.find(ctx, idOf(key))
        const script = waiting && (await storedScript(ctx, waiting.script_id))
        if (waiting && script) {
          const waits_on: PreparedRun = {
            needs_approval: needsApproval(script),
            words: runInWords(script, waiting),
            waitFor: (within, id) =>
              waitForRequest({ ...own(key), ...within } as StoringContext, waiting.id, id),
          }
          return cancelled(waiting, script) ?? waits_on
        }
        const found = await examined(asked)
        if ('problem' in found) return found
        const asker = await askerOf(asked, key, found)
        const { device, checked } = found
        return {
          needs_approval: needsApproval(found.script),
          words: runInWords(found.script, {
            device_id: device.device_id,
            device_name: device.name,
            parameters: checked.shown,
          }),
          async waitFor({ transaction, now }, til_request_id) {
            const storing = { ...own(key), transaction, now }
            await storeRun(storing, found, { ...asker, status: 'PENDING_APPROVAL', til_request_id })
          },
        }
      },

      async run(asked, key) {
        const stored = await RUN.find(ctx, idOf(key))
        const is_again = stored !== null && isUnknown(stored)
        const end = stored && !is_again ? endOf(stored) : null
        if (end) return end
        if (stored?.status === 'QUEUED' || stored?.status === 'RUNNING') return 'PENDING'
        const found = stored ? null : await examined(asked)
        if (found && 'problem' in found) return found
        const missing = found ? missingIn(found) : []
        if (missing.length > 0)
          return { problem: 'SECRET_REQUIRED', arguments: missing.map((name) => `parameters.${name}`) }
        const asker = found && (await askerOf(asked, key, found))
        const storing = own(key)
        await inTransaction(storing, QUEUE_MS, async () => {
          const locked = await RUN.lockIfThere(storing, idOf(key) as never)
          if (locked && locked.status !== 'PENDING_APPROVAL' && !isUnknown(locked)) return
          if (!locked && found && asker) await storeRun(storing, found, { ...asker, status: 'QUEUED' })
          await queueRun(storing, idOf(key))
        })
        return 'PENDING'
      },

      async isPending(key) {
        const run = await RUN.find(ctx, idOf(key))
        return run !== null && !isOver(run)
      },

      async outcomeOf(key) {
        const run = await RUN.find(ctx, idOf(key))
        if (run && isUnknown(run)) return 'UNKNOWN'
        return run && isSent(run) ? 'MADE' : 'NOT_MADE'
      },
    }
  }
