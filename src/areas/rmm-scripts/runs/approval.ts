/** The approval of a run: what is approved is what was asked for, or what the approver edits, and can still run. */
import { rmmOf } from '../../../connectors/rmm.ts'
import { scoped, sql } from '../../../db/db.ts'
import { ApiError, bodyProblem, invalid } from '../../../errors/errors.ts'
import type { Context } from '../../../gateway/context.ts'
import { committing } from '../../../gateway/transaction.ts'
import { isObject } from '../../../lib/is-object.ts'
import { withdrawRequest } from '../../til-requests/index.ts'
import { type Examined, examine, missingIn, type Problem, storedScript, type Wanted } from './examine.ts'
import { RUN } from './queries.ts'
import { secretsToGive } from './rules/parameters.ts'
import { scriptProblem } from './rules/steps.ts'
import type { ScriptRunRow } from './run.ts'
import { replaceContent, secretsOf } from './store.ts'

const WAITING = scoped(
  'rmm_scripts.waiting_run',
  `select r.id from rmm_script_run r
   where r.tenant_id = $1 and r.environment = $2 and r.til_request_id = $3 and r.status = 'PENDING_APPROVAL'`,
)

/** The run that waits for the request, locked; null: none does. */
export async function waitingRun(ctx: Context, til_request_id: string): Promise<ScriptRunRow | null> {
  const [waiting] = await sql<{ id: string }>(ctx, WAITING, [til_request_id])
  const run = waiting && (await RUN.lockIfThere(ctx, waiting.id as never))
  return run?.status === 'PENDING_APPROVAL' ? run : null
}

// A sync that changes the script waits for the approval, or the approval for the sync.
const LOCK_SCRIPT = scoped(
  'rmm_scripts.lock_script',
  `select 1 as there from rmm_script s where s.tenant_id = $1 and s.environment = $2 and s.id = $3 for share of s`,
)

/** The problems of a run that is asked for, by the fields of the body, as `at` names them. */
export function refusalOf(problem: Problem, at: (field: string) => string): ApiError {
  const { code } = problem
  if (code === 'parameters')
    return invalid(
      problem.problems.map(({ name, code: rule, message }) =>
        bodyProblem(at(`parameters.${name}`), rule, message),
      ),
    )
  if (code === 'device_not_found')
    return invalid([bodyProblem(at('device_id'), 'unknown', 'is not a device of the RMM')])
  if (code === 'platform_mismatch')
    return invalid([
      bodyProblem(at('device_id'), code, 'has an operating system that the script is not made for'),
    ])
  if (code === 'script_not_found')
    return invalid([bodyProblem(at('script_id'), 'unknown', 'is not a script of the RMM')])
  return new ApiError(code)
}

const inEdited = (field: string): string => `edited_arguments.${field}`

const secretsMissing = (names: readonly string[]): ApiError =>
  invalid(
    names.map((name) =>
      bodyProblem(
        inEdited(`parameters.${name}`),
        'secret_required',
        'is a required secret: the approver gives it',
      ),
    ),
  )

/** Takes what the approver edits into the run. */
async function takeEdited(
  ctx: Context,
  run: ScriptRunRow,
  edited: Record<string, unknown>,
): Promise<Examined> {
  const { script_id, device_id, parameters = {} } = edited
  const wanted = { script_id, device_id, parameters } as Wanted
  // A secret was given for the script and the device that were asked for.
  const is_same = wanted.script_id === run.script_id && wanted.device_id === run.device_id
  const kept = is_same ? Object.keys(secretsOf(ctx, run)) : []
  const found = await examine(ctx, rmmOf(ctx), wanted, { by: 'APPROVER', is_bound: true, kept })
  if ('code' in found) throw refusalOf(found, inEdited)
  const missing = missingIn(found)
  if (missing.length > 0) throw secretsMissing(missing)
  await replaceContent(ctx, run, found)
  return found
}

/** Closes a request for a script that is not the one that was asked for any more, and refuses its approval. */
async function supersede(
  ctx: Context,
  til_request_id: string,
  code: 'script_changed_since_approval' | 'script_removed',
): Promise<never> {
  const reason =
    code === 'script_removed' ? 'The RMM no longer has the script.' : 'The script has changed since.'
  await withdrawRequest(ctx, til_request_id, 'SUPERSEDED', reason)
  throw committing(new ApiError(code))
}

// Contract silent: an approver who edits the parameters has read the script of the run: another body is refused then, too.
/** The script of the run is still the one that was asked for, unless the approver chooses another script. */
async function requireUnchanged(
  ctx: Context,
  run: ScriptRunRow,
  til_request_id: string,
  edited: Record<string, unknown> | null,
): Promise<void> {
  if (edited && edited.script_id !== run.script_id) return
  const script = await storedScript(ctx, run.script_id)
  const problem = script ? scriptProblem({ ...run, is_bound: true }, script) : 'script_removed'
  if (problem === 'script_not_enabled') throw new ApiError(problem)
  if (problem || !script) return await supersede(ctx, til_request_id, problem ?? 'script_removed')
  const missing = edited ? [] : secretsToGive(script, run.parameters)
  if (missing.length > 0) throw secretsMissing(missing)
}

const NO_RUN = bodyProblem(
  'edited_arguments',
  'no_run',
  'has no run to change: the run does not wait any more',
)

/** The extension point of approvals. */
export async function beforeApproval(
  ctx: Context,
  request: { id: string; tool_name: string | null },
  given: unknown,
): Promise<unknown> {
  if (request.tool_name !== 'device.run_script' && request.tool_name !== 'run_rmm_script') return given
  const run = await waitingRun(ctx, request.id)
  if (!run && isObject(given)) throw invalid([NO_RUN])
  if (!run) return given
  const edited = isObject(given) ? given : null
  await sql(ctx, LOCK_SCRIPT, [run.script_id])
  await requireUnchanged(ctx, run, request.id, edited)
  const found = edited && (await takeEdited(ctx, run, edited))
  // Contract silent: a device that the RMM no longer has is refused as one that is offline.
  const device = found?.device ?? (await rmmOf(ctx).listedDevice(run.device_id))
  if (!device?.online) throw new ApiError('device_offline')
  return found ? { ...edited, parameters: found.checked.shown } : given
}
