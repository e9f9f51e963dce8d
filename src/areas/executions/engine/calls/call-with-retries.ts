/** Makes a tool call, again if the system could not be reached and cannot have acted. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type CallingRun,
  executeTool,
  isWithinReach,
  outcomeOf,
  type PreparedCall,
  prepareCall,
  ResultPending,
  ToolFailure,
  WRITE_ENDS_MS,
} from '../../../../tools/execute.ts'
import { reachOf } from '../../../../tools/grants.ts'
import type { Tool } from '../../../../tools/tool.ts'
import type { RecordedCall, RunState } from '../run/run-lock.ts'

/**
 * The end of an attempt. PENDING: the call was made, and its result is still to come. UNKNOWN: only people can tell whether the
 * other system made the write.
 */
export type CallResult =
  | { status: 'SUCCEEDED'; result: Record<string, unknown> }
  | { status: 'FAILED'; failure: ToolFailure }
  | { status: 'TIMED_OUT' }
  | { status: 'PENDING' }
  | { status: 'UNKNOWN' }

/**
 * NEVER: nothing was tried with the key of the call. FOUND: a worker that was lost may have made it. NOT_MADE: it was tried,
 * and people say that it was not made.
 */
export type Tried = 'NEVER' | 'FOUND' | 'NOT_MADE'

/** The pauses before the call is made again, in milliseconds: of a system that does nothing for a while all of them. */
const PAUSES_MS = [250, 1000, 4000, 8000, 15_000, 30_000, 30_000]
const PAUSES_OF_OUTAGE = 3
/** A system that names a later time is not waited for. */
const LONGEST_PAUSE_MS = 300_000

/** The pauses before a system that did not tell an outcome is asked again: while the call may be under way, and after. */
const ASK_PAUSES_MS = [250, 1000]
const LATER_ASK_PAUSES_MS = [1000, 4000, 10_000]

/** Of a call that was certainly not made longer ago, its worker can have lost the lease meanwhile. */
const CERTAIN_MS = 5000

const callingRun = ({ execution, agent }: RunState, tool: Tool): CallingRun => ({
  agent_id: execution.agent_id,
  agent_name: agent.agent_name,
  execution_id: execution.execution_id,
  entity_id: execution.entity_id,
  reach: reachOf(agent, tool, execution),
  audience: 'TECHNICIANS',
  skills: agent.skills,
})

/** The call as technicians are asked about it; null if its tool says no more than others; or its failure. No transaction is open. */
export async function preparation(
  run: RunState,
  tool: Tool,
  { id, arguments: args }: RecordedCall,
): Promise<PreparedCall | ToolFailure | null> {
  try {
    return await prepareCall({ ...run.ctx, signal: run.signal }, callingRun(run, tool), tool, args, id)
  } catch (error) {
    if (error instanceof ToolFailure) return error
    throw error
  }
}

/** False if the call asks for more than the company of the work. No transaction is open. */
export const isWithin = (run: RunState, tool: Tool, { arguments: args }: RecordedCall): Promise<boolean> =>
  isWithinReach({ ...run.ctx, signal: run.signal }, callingRun(run, tool), tool, args)

/** Rejects when the signal is aborted, even if the work does not listen to it. */
async function orAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    signal.throwIfAborted()
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', abort)
    work.catch(() => {})
  }
}

/** The context of a call that is made now. */
const acting = ({ ctx, signal }: RunState) => ({ ...ctx, now: ctx.services.now(), signal })

/**
 * The outcome of a write whose call ended without an answer, as far as its system can tell. `found`: another worker, or the
 * system, may still be at it: its time is waited for before it is said not to be made.
 */
export async function outcomeOfCall(
  run: RunState,
  tool: Tool,
  call: RecordedCall,
  { found }: { found: boolean },
): Promise<'MADE' | 'NOT_MADE' | 'UNKNOWN'> {
  if (tool.access === 'READ') return 'NOT_MADE'
  const ask = (may_be_under_way: boolean) =>
    orAborted(run.signal, outcomeOf(acting(run), tool, call, { found: may_be_under_way }))
  for (const pause of ASK_PAUSES_MS) {
    const told = await ask(found)
    if (told !== 'UNREACHABLE') return told
    await sleep(pause, undefined, { signal: run.signal })
  }
  if (found) await sleep(underWayFor(run, call), undefined, { signal: run.signal })
  for (const pause of LATER_ASK_PAUSES_MS) {
    const told = await ask(false)
    if (told !== 'UNREACHABLE') return told
    await sleep(pause, undefined, { signal: run.signal })
  }
  const told = await ask(false)
  return told === 'UNREACHABLE' ? 'UNKNOWN' : told
}

/** Milliseconds for which a lost worker can still be at the call. */
const underWayFor = ({ ctx }: RunState, { started_at }: RecordedCall): number =>
  Math.max(0, (started_at?.getTime() ?? 0) + WRITE_ENDS_MS - ctx.services.now().getTime())

/** The end of an attempt whose time was over before the tool answered: a write may have been made all the same. */
async function lateEnd({ ctx }: RunState, tool: Tool, call: RecordedCall): Promise<CallResult> {
  const is_made = tool.access === 'WRITE' && (await outcomeOf(ctx, tool, call, { found: false })) === 'MADE'
  return is_made ? { status: 'SUCCEEDED', result: {} } : { status: 'TIMED_OUT' }
}

/** The pause before the call that failed is made again; null: it is not made again. */
function pauseAfter({ kind, retry_after_seconds }: ToolFailure, tries: number): number | null {
  const pause = PAUSES_MS[tries]
  if (kind !== 'INTEGRATION' || pause === undefined) return null
  if (retry_after_seconds === null) return tries < PAUSES_OF_OUTAGE ? pause : null
  const asked = retry_after_seconds * 1000
  return asked > LONGEST_PAUSE_MS ? null : Math.max(pause, asked)
}

/** A call that was made, or that can be made again with its idempotency key without harm, is made with it. */
export async function callWithRetries(
  run: RunState,
  tool: Tool,
  call: RecordedCall,
  tried: Tried,
): Promise<CallResult> {
  const { ctx, signal } = run
  const { id, arguments: args, started_at } = call
  /** The last instant at which the call was certainly not made. */
  let unmade_at = tried === 'NEVER' ? started_at : null
  const outcome = async (of: RecordedCall, found: boolean) => {
    const asked_at = ctx.services.now()
    const made = await outcomeOfCall(run, tool, of, { found })
    unmade_at = made === 'NOT_MADE' ? asked_at : null
    return made
  }
  try {
    if (tried === 'FOUND' && (await outcome(call, true)) === 'UNKNOWN') return { status: 'UNKNOWN' }
    for (let tries = 0; ; tries++) {
      const own = acting(run)
      try {
        const is_first_try = unmade_at !== null && own.now.getTime() - unmade_at.getTime() < CERTAIN_MS
        const given = args as Record<string, unknown>
        const called = executeTool(own, callingRun(run, tool), tool, given, id, is_first_try)
        return { status: 'SUCCEEDED', result: await orAborted(signal, called) }
      } catch (error) {
        if (error instanceof ResultPending) return { status: 'PENDING' }
        if (!(error instanceof ToolFailure)) throw error
        const pause = pauseAfter(error, tries)
        // A write whose answer was lost may take a moment more.
        if (pause !== null) await sleep(pause, undefined, { signal })
        const tried_call = { ...call, started_at: own.now }
        const made = error.may_have_acted ? await outcome(tried_call, error.may_be_under_way) : 'NOT_MADE'
        if (made === 'UNKNOWN') return { status: 'UNKNOWN' }
        if (pause === null)
          return made === 'MADE' ? { status: 'SUCCEEDED', result: {} } : { status: 'FAILED', failure: error }
      }
    }
  } catch (error) {
    if (signal.aborted && !ctx.signal.aborted) return await lateEnd(run, tool, call)
    throw error
  }
}
