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

/** The pauses before the call is made again, in milliseconds. */
const PAUSES_MS = [250, 1000, 4000]

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

/** The outcome of a write whose call ended without an answer, as far as its system can tell. */
export async function outcomeOfCall(
  run: RunState,
  tool: Tool,
  id: string,
): Promise<'MADE' | 'NOT_MADE' | 'UNKNOWN'> {
  if (tool.access === 'READ') return 'NOT_MADE'
  const told = await orAborted(run.signal, outcomeOf({ ...run.ctx, signal: run.signal }, tool, id))
  return told === 'UNREACHABLE' ? 'UNKNOWN' : told
}

/** The end of an attempt whose time was over before the tool answered: a write may have been made all the same. */
async function lateEnd({ ctx }: RunState, tool: Tool, id: string): Promise<CallResult> {
  const is_made = tool.access === 'WRITE' && (await outcomeOf(ctx, tool, id)) === 'MADE'
  return is_made ? { status: 'SUCCEEDED', result: {} } : { status: 'TIMED_OUT' }
}

/**
 * `found`: a worker that was lost may have made the call. A call that was made, or that can be made again with its
 * idempotency key without harm, is made with it.
 */
export async function callWithRetries(
  run: RunState,
  tool: Tool,
  { id, arguments: args }: RecordedCall,
  { found }: { found: boolean },
): Promise<CallResult> {
  const { ctx, signal } = run
  try {
    if (found && (await outcomeOfCall(run, tool, id)) === 'UNKNOWN') return { status: 'UNKNOWN' }
    for (let tries = 0; ; tries++) {
      const acting = { ...ctx, now: ctx.services.now(), signal }
      try {
        const called = executeTool(acting, callingRun(run, tool), tool, args as Record<string, unknown>, id)
        return { status: 'SUCCEEDED', result: await orAborted(signal, called) }
      } catch (error) {
        if (error instanceof ResultPending) return { status: 'PENDING' }
        if (!(error instanceof ToolFailure)) throw error
        const pause = PAUSES_MS[tries]
        const made = error.may_have_acted ? await outcomeOfCall(run, tool, id) : 'NOT_MADE'
        if (made === 'UNKNOWN') return { status: 'UNKNOWN' }
        if (error.kind !== 'INTEGRATION' || pause === undefined)
          return made === 'MADE' ? { status: 'SUCCEEDED', result: {} } : { status: 'FAILED', failure: error }
        await sleep(pause, undefined, { signal })
      }
    }
  } catch (error) {
    if (signal.aborted && !ctx.signal.aborted) return await lateEnd(run, tool, id)
    throw error
  }
}
