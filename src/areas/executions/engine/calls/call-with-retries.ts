/** Makes a tool call, again if the system could not be reached and cannot have acted. */
import type { Outcome } from '../../../../connectors/port.ts'
import { psaOf } from '../../../../connectors/psa.ts'
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
import { pauseAfter, pauseUnanswered } from '../rules/repetitions.ts'
import { LeaseLost, type RecordedCall, type RunState, withRunLock } from '../run/run-lock.ts'
import { endsAt, storeCall } from '../run/stored-calls.ts'

/**
 * The end of a call. PENDING: the call was made, and its result is still to come. UNKNOWN: only people can tell whether the
 * other system made the write. LEFT: the run may not go on, and the other system is asked later what became of the write.
 */
export type CallResult =
  | { status: 'SUCCEEDED'; result: Record<string, unknown> }
  | { status: 'FAILED'; failure: ToolFailure }
  | { status: 'TIMED_OUT' }
  | { status: 'PENDING' }
  | { status: 'UNKNOWN' }
  | { status: 'LEFT' }

/**
 * NEVER: nothing was tried with the key of the call. FOUND: a worker that was lost may have made it. NOT_MADE: it was tried,
 * and people say that it was not made.
 */
export type Tried = 'NEVER' | 'FOUND' | 'NOT_MADE'

/** A timer may end a little before its time. */
const TIMER_MS = 10

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

/** The outcome of a write, as its system tells it now. */
export const askedOnce = (
  run: RunState,
  tool: Tool,
  { id, arguments: args }: RecordedCall,
  ends_at = run.ctx.services.now(),
): ReturnType<typeof outcomeOf> => {
  const { entity_id } = run.execution
  return orAborted(run.signal, outcomeOf(acting(run), tool, { id, arguments: args, entity_id }, ends_at))
}

/** The page for people of the ticket that the call names or its run works on; null if the PSA has none, or does not tell. */
export async function ticketUrlOf(run: RunState, { arguments: args }: RecordedCall): Promise<string | null> {
  const of_ticket = run.agent.entity_type === 'TICKET' ? run.execution.entity_id : null
  const { ticket_id = of_ticket } = args as { ticket_id?: unknown }
  if (typeof ticket_id !== 'string') return null
  return await psaOf({ ...acting(run), pace: 'AGENT' })
    .ticketUrl(ticket_id)
    .catch(() => null)
}

/** The outcome of a write whose call ended without an answer, as far as its system can tell: it is asked until it answers. */
async function outcomeOfCall(run: RunState, tool: Tool, call: RecordedCall, ends_at: Date): Promise<Outcome> {
  if (tool.access === 'READ') return 'NOT_MADE'
  for (let unanswered = 0; ; ) {
    const told = await askedOnce(run, tool, call, ends_at)
    if (told !== 'UNREACHABLE' && typeof told === 'string') return told
    const pause =
      told === 'UNREACHABLE'
        ? pauseUnanswered(unanswered++)
        : Math.max(0, told.asked_again_at.getTime() - run.ctx.services.now().getTime()) + TIMER_MS
    if (pause === null) return 'UNKNOWN'
    await run.ctx.services.pause(pause, run.signal)
  }
}

/** The end of an attempt whose time was over before the tool answered: a write may have been made all the same. */
async function lateEnd(
  { ctx, execution: { entity_id } }: RunState,
  tool: Tool,
  { id, arguments: args, ...call }: RecordedCall,
): Promise<CallResult> {
  if (tool.access === 'READ') return { status: 'TIMED_OUT' }
  const now = ctx.services.now()
  const told = await outcomeOf({ ...ctx, now }, tool, { id, arguments: args, entity_id }, endsAt(call))
  if (told === 'MADE') return { status: 'SUCCEEDED', result: {} }
  return { status: told === 'NOT_MADE' ? 'TIMED_OUT' : 'LEFT' }
}

/** Takes note that the call is tried once more. Throws LeaseLost if the run may not go on. */
const tryAgain = (run: RunState, call: RecordedCall): Promise<RecordedCall> =>
  withRunLock(run, () => storeCall(run, call, { tried_at: run.ctx.now }))

/** A call that was made, or that can be made again with its idempotency key without harm, is made with it. */
export async function callWithRetries(
  run: RunState,
  tool: Tool,
  call: RecordedCall,
  tried: Tried,
): Promise<CallResult> {
  const { ctx, signal } = run
  let attempt = call
  /** The last instant at which the call was certainly not made. */
  let unmade_at = tried === 'NEVER' ? call.started_at : null
  let is_made = false
  const outcome = async (ends_at: Date) => {
    const told = await outcomeOfCall(run, tool, call, ends_at)
    unmade_at = told === 'NOT_MADE' ? ctx.services.now() : null
    is_made = told === 'MADE'
    return told
  }
  try {
    if (tried === 'FOUND' && (await outcome(endsAt(call))) === 'UNKNOWN') return { status: 'UNKNOWN' }
    for (let tries = 0; ; tries++) {
      if (tries > 0 || tried !== 'NEVER') attempt = await tryAgain(run, attempt)
      const own = acting(run)
      try {
        const is_first_try = unmade_at !== null && own.now.getTime() - unmade_at.getTime() < CERTAIN_MS
        const given = call.arguments as Record<string, unknown>
        const called = executeTool(own, callingRun(run, tool), tool, given, call.id, is_first_try)
        return { status: 'SUCCEEDED', result: await orAborted(signal, called) }
      } catch (error) {
        if (error instanceof ResultPending) return { status: 'PENDING' }
        if (!(error instanceof ToolFailure)) throw error
        const ended_at = ctx.services.now()
        const pause = pauseAfter(error, tries, run.deadline.getTime() - ended_at.getTime())
        // A write whose answer was lost may take a moment more.
        if (pause !== null) await ctx.services.pause(pause, signal)
        const ends_at = error.may_be_under_way ? endsAt({ ...attempt, tried_at: own.now }) : ended_at
        const is_unknown = error.may_have_acted && !is_made
        if (is_unknown && (await outcome(ends_at)) === 'UNKNOWN') return { status: 'UNKNOWN' }
        // A repetition of what was made asks for its result alone.
        if (pause === null)
          return is_made ? { status: 'SUCCEEDED', result: {} } : { status: 'FAILED', failure: error }
      }
    }
  } catch (error) {
    if (error instanceof LeaseLost) return { status: 'LEFT' }
    if (signal.aborted && !ctx.signal.aborted) return await lateEnd(run, tool, attempt)
    throw error
  }
}
