/** Ends a run: its row, its event, and the execution that waits for it. */
import type { RmmScriptRun } from '../../../connectors/rmm.ts'
import { redact } from '../../../gateway/redact.ts'
import { storableText } from '../../../lib/text.ts'
import { change } from '../../../schema/changes/change.ts'
import { type LockedExecution, lockExecution, resultArrived } from '../../executions/index.ts'
import { RUN } from './queries.ts'
import { withoutValues } from './rules/parameters.ts'
import { cutOutput, isOver, wholeOutput } from './rules/steps.ts'
import type { ScriptRunRow } from './run.ts'
import { type StoringContext, secretsOf } from './store.ts'
import { endInWords } from './wording.ts'

type Ending = Partial<
  Pick<
    ScriptRunRow,
    'exit_code' | 'stdout' | 'stderr' | 'stdout_truncated' | 'stderr_truncated' | 'error_code'
  >
> & { status: 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'CANCELLED' }

/** A run that has not ended, and its execution. Both are locked. */
interface Open {
  run: ScriptRunRow
  execution: LockedExecution | null
}

/** The run and its execution, locked in the order of all that lock both; null: the run is not open any more. */
export async function lockOpen(
  ctx: StoringContext,
  { id, execution_id }: Pick<ScriptRunRow, 'id' | 'execution_id'>,
): Promise<Open | null> {
  const execution = execution_id === null ? null : await lockExecution(ctx, execution_id)
  const run = await RUN.lockIfThere(ctx, id as never)
  return run && !isOver(run) ? { run, execution } : null
}

/** Puts the end of the run into the timeline of its execution, and wakes the execution if it waits for it. */
export async function tellExecution(ctx: StoringContext, { run, execution }: Open): Promise<void> {
  const { tool_call_id } = run
  if (execution && tool_call_id !== null)
    await resultArrived(ctx, execution, { tool_call_id, text: endInWords(run) })
}

/** Ends the locked run. The write is the last of the transaction. */
export async function end(ctx: StoringContext, { run, execution }: Open, ending: Ending): Promise<void> {
  await change(ctx, RUN, run, {
    verb: ending.status === 'CANCELLED' ? 'cancelled' : 'finished',
    decide: ({ secrets, tool_call_id }) => {
      // A person may say that the script was not started: it is started with the same secrets then.
      const is_kept = ending.error_code === 'outcome_unknown' && tool_call_id !== null
      return { ...ending, secrets: is_kept ? secrets : null, finished_at: ctx.now }
    },
    beforeWrite: (before) => tellExecution(ctx, { run: { ...before, ...ending }, execution }),
  })
}

/** A text that the script wrote, without secrets, as it is stored. */
function output(ctx: StoringContext, run: ScriptRunRow, text: string | null) {
  if (text === null || text === '') return { text: null, truncated: false }
  const { text: whole, truncated } = wholeOutput(text)
  const cut = cutOutput(storableText(redact(withoutValues(whole, secretsOf(ctx, run))) as string))
  return { text: cut.text, truncated: truncated || cut.truncated }
}

/** The ending of a run that has ended in the RMM. */
export function endingOf(
  ctx: StoringContext,
  run: ScriptRunRow,
  { succeeded, exit_code, stdout, stderr }: NonNullable<RmmScriptRun['end']>,
): Ending {
  const out = output(ctx, run, stdout)
  const err = output(ctx, run, stderr)
  return {
    status: succeeded ? 'SUCCEEDED' : 'FAILED',
    exit_code,
    stdout: out.text,
    stdout_truncated: out.truncated,
    stderr: err.text,
    stderr_truncated: err.truncated,
  }
}
