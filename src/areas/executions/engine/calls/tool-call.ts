/** Makes the tool calls of a run: each is recorded before it is made, and after. */
import { holdsSecret, redact } from '../../../../gateway/redact.ts'
import { argumentsHash } from '../../../../lib/arguments-hash.ts'
import { ToolFailure, unavailability } from '../../../../tools/execute.ts'
import { invalidArguments } from '../../../../tools/invalid-arguments.ts'
import { toolNamed } from '../../../../tools/registry.ts'
import { isAllowedBy, narrowingSkill, refusalBy } from '../../../../tools/skills.ts'
import type { Tool } from '../../../../tools/tool.ts'
import { completeLocked, fail, failLocked } from '../lifecycle/finish.ts'
import { transition } from '../lifecycle/transition.ts'
import { isGranted } from '../rules/granted.ts'
import { CREDITS_PER_CALL } from '../rules/settings.ts'
import type { ProposedCall } from '../rules/step.ts'
import { subEntitiesIn } from '../rules/sub-entities.ts'
import { APPROVAL_GATE, type Gate } from '../run/approval-gate.ts'
import { callsSettled } from '../run/close-calls.ts'
import { recordFinalOutcome, recordOutcome, type SettledStatus } from '../run/record-outcome.ts'
import { type RecordedCall, type RunState, withRunLock } from '../run/run-lock.ts'
import { tryLockSlots } from '../run/slots.ts'
import { addConsumption, OUTCOME_UNKNOWN, proposedCall, storeCall } from '../run/stored-calls.ts'
import {
  askedOnce,
  type CallResult,
  callWithRetries,
  isWithin,
  preparation,
  type Tried,
  ticketUrlOf,
} from './call-with-retries.ts'
import { type Ceiling, subscriptionCeiling, suspension } from './ceilings.ts'
import { waitForResult } from './wait-for-result.ts'

/** The state of the run after a call. STOP: it waits, or has ended, so that nothing more is to be done. */
export type AfterStep = 'CONTINUE' | 'STOP'

interface Ended extends Pick<RecordedCall, 'error_code' | 'error' | 'failure_kind'> {
  status: SettledStatus
}

/** The end of a call that cannot be made; null for one that can. */
function refusal(
  { agent, execution, calls }: RunState,
  tool: Tool | undefined,
  { sequence, arguments: args }: RecordedCall,
): Ended | null {
  const { supervised, escalates } = execution
  if (!tool || !isGranted(tool, { ...agent, supervised, escalates })) {
    const error = 'The agent has no tool of this name.'
    return { status: 'DENIED', error_code: 'tool_not_granted', error, failure_kind: 'AGENT' }
  }
  // Also a call that waited is judged by what was read before it.
  const before = calls.filter((call) => call.sequence < sequence)
  const skill = narrowingSkill(agent.skills, before)
  if (skill && !isAllowedBy(tool, skill))
    return { status: 'DENIED', ...refusalBy(skill), failure_kind: 'AGENT' }
  const wrong = invalidArguments(tool, args)
  if (wrong.length > 0) {
    const error = `These arguments are missing, or do not fit the tool: ${wrong.join(', ')}.`
    return { status: 'FAILED', error_code: 'arguments_invalid', error, failure_kind: 'AGENT' }
  }
  if (holdsSecret(args)) {
    const error = 'The arguments hold a secret.'
    return { status: 'DENIED', error_code: 'secret_in_content', error, failure_kind: 'AGENT' }
  }
  return null
}

/** Starts the call that the decider chose. */
export const startCall = (run: RunState, proposed: ProposedCall): Promise<AfterStep> =>
  throughGate(run, proposedCall(run, proposed))

/** Goes on with a call that is not settled: it waited for a technician, or its worker was lost. */
export async function continueCall(run: RunState, call: RecordedCall): Promise<AfterStep> {
  const tool = toolNamed(call.tool_name)
  const { temporal_run_id } = run.run
  if (!tool) throw new Error(`${call.tool_name} was called, and is no tool`)
  if (call.status === 'STARTED') {
    const over = await suspension(run)
    if (!over) return await executeStarted(run, tool, { ...call, temporal_run_id }, 'FOUND')
    await fail(run, { ...over, failure_kind: 'LIMIT' })
    return 'STOP'
  }
  if (call.error_code === OUTCOME_UNKNOWN) return await afterAnswer(run, tool, { ...call, temporal_run_id })
  return await throughGate(run, { ...call, temporal_run_id })
}

async function throughGate(run: RunState, call: RecordedCall): Promise<AfterStep> {
  const tool = toolNamed(call.tool_name)
  const refused = refusal(run, tool, call)
  if (refused || !tool) {
    // It is not made any more, so that a secret in its arguments need not be kept.
    const kept = { ...call, arguments: redact(call.arguments) as RecordedCall['arguments'] }
    await withRunLock(run, () => settle(run, tool, kept, refused as Ended))
    return 'CONTINUE'
  }
  const passed = await askGate(run, tool, call)
  return typeof passed === 'string' ? passed : await executeStarted(run, tool, passed, 'NEVER')
}

/** True if the run ends or pauses. */
const isEnd = (gate: Gate): boolean => gate.do === 'WAIT' || (gate.do === 'REFUSED' && gate.ends)

/** The run is to end or to pause, and another transaction holds the lock of the slots. */
class SlotsLocked extends Error {}

/** Asks the gate: the started call if it passed, else what becomes of the run. */
async function askGate(run: RunState, tool: Tool, call: RecordedCall): Promise<RecordedCall | AfterStep> {
  const prepared = await preparation(run, tool, call)
  if (prepared instanceof ToolFailure) {
    await withRunLock(run, () => settle(run, tool, call, failedBy(prepared)))
    return 'CONTINUE'
  }
  const beyond = !(await isWithin(run, tool, call))
  const decide = (with_slots: boolean) =>
    withRunLock(
      run,
      async () => {
        const gate = await APPROVAL_GATE.get().gateOf(run, tool, call, {
          beyond,
          prepared,
          unavailability: () => unavailability(run.ctx, tool),
        })
        // Time has passed since the ceilings of a call that waited were last judged.
        const over = gate.do === 'PASS' && call.status === 'WAITING' ? await subscriptionCeiling(run) : null
        // Most calls do not wait. The slots are locked before the execution, or after it without waiting: no deadlock.
        if ((over || isEnd(gate)) && !with_slots && !(await tryLockSlots(run.ctx))) throw new SlotsLocked()
        return over ? await stop(run, over) : await passGate(run, tool, call, gate)
      },
      { with_slots },
    )
  try {
    return await decide(false)
  } catch (error) {
    if (error instanceof SlotsLocked) return await decide(true)
    throw error
  }
}

/** Ends the run over a ceiling: no call that is open is made any more. */
async function stop(run: RunState, over: Ceiling): Promise<'STOP'> {
  await failLocked(run, { ...over, failure_kind: 'LIMIT' })
  return 'STOP'
}

async function passGate(
  run: RunState,
  tool: Tool,
  call: RecordedCall,
  gate: Gate,
): Promise<RecordedCall | AfterStep> {
  const { til_request_id = call.til_request_id } = gate
  switch (gate.do) {
    case 'PASS': {
      const args = gate.arguments as RecordedCall['arguments']
      const bound = { arguments: args, arguments_hash: argumentsHash(args), til_request_id }
      return await storeCall(run, call, { ...bound, status: 'STARTED', started_at: run.ctx.now })
    }
    case 'WAIT': {
      const waiting = await storeCall(run, call, { status: 'WAITING', til_request_id })
      const isApproval = gate.status === 'WAITING_FOR_APPROVAL'
      if (isApproval && call.til_request_id !== til_request_id)
        await recordOutcome(run, tool, waiting, 'PENDING_APPROVAL')
      await pause(run, isApproval ? 'ASK_APPROVAL' : 'ASK_INPUT')
      return 'STOP'
    }
    case 'REFUSED': {
      const { by_name, comment } = gate
      const error = `${by_name ?? 'Nobody'} ${by_name ? 'refused' : 'approved'} it${comment ? `: ${comment}` : '.'}`
      const error_code = by_name ? 'refused_by_technician' : 'approval_expired'
      const refused = { status: 'DENIED', error_code, error } as const
      await settle(run, tool, { ...call, til_request_id }, { ...refused, failure_kind: null })
      if (!gate.ends) return 'CONTINUE'
      await completeLocked(run, error)
      return 'STOP'
    }
    case 'SHADOWED':
      await settle(run, tool, { ...call, til_request_id }, SKIPPED)
      return 'CONTINUE'
    case 'UNAVAILABLE':
      await settle(run, tool, call, failedBy(gate.failure))
      return 'CONTINUE'
    case 'ANSWERED':
      await settle(run, tool, { ...call, til_request_id, result: gate.result as never }, SUCCEEDED)
      return 'CONTINUE'
  }
}

const PLAIN = { error_code: null, error: null, failure_kind: null } as const
const SUCCEEDED = { ...PLAIN, status: 'SUCCEEDED' } as const
const SKIPPED = { ...PLAIN, status: 'SKIPPED' } as const

/** The end of a call of which only people could tell whether it was made, and none did. */
const LEFT: Ended = {
  status: 'FAILED',
  error_code: OUTCOME_UNKNOWN,
  failure_kind: 'INTEGRATION',
  error: 'Nobody could tell whether it was made, and the work went on without it.',
}

const pause = (
  { ctx, execution: { execution_id } }: RunState,
  event: 'ASK_APPROVAL' | 'ASK_INPUT',
): Promise<unknown> => transition(ctx, { execution_id, status: 'RUNNING' }, event)

/** Stores the end of the call with its trail, in the transaction in which the run is locked. */
async function settle(
  run: RunState,
  tool: Tool | undefined,
  call: RecordedCall,
  ended: Ended,
): Promise<void> {
  const stored = await storeCall(run, call, { ...ended, ended_at: run.ctx.now })
  await recordFinalOutcome(run, tool, { ...stored, status: ended.status })
}

const failedBy = ({ code, message, kind }: ToolFailure): Ended => ({
  status: 'FAILED',
  error_code: code,
  error: message,
  failure_kind: kind,
})

function endOf(executed: Exclude<CallResult, { status: 'PENDING' | 'UNKNOWN' | 'LEFT' }>): Ended {
  if (executed.status === 'SUCCEEDED') return SUCCEEDED
  if (executed.status === 'TIMED_OUT') {
    const error = 'The time of the run was over before the tool answered.'
    return { status: 'TIMED_OUT', error_code: 'max_minutes', error, failure_kind: 'LIMIT' }
  }
  return failedBy(executed.failure)
}

/** Makes a started call, and records what it came to, even if the execution was stopped meanwhile. */
async function executeStarted(
  run: RunState,
  tool: Tool,
  call: RecordedCall,
  tried: Tried,
): Promise<AfterStep> {
  const executed = await callWithRetries(run, tool, call, tried)
  if (executed.status === 'UNKNOWN') return await askIfMade(run, tool, call)
  if (executed.status === 'PENDING') return await waitForResult(run, tool, call)
  // A run whose time is over ends by that; of any other the execution has ended, or another worker goes on with it.
  if (executed.status === 'LEFT') return run.signal.aborted ? 'CONTINUE' : 'STOP'
  const result = executed.status === 'SUCCEEDED' ? executed.result : null
  await withRunLock(
    run,
    async () => {
      await settle(run, tool, { ...call, result: result as never }, endOf(executed))
      if (result) await addConsumption(run, CREDITS_PER_CALL, subEntitiesIn(result))
      const { execution_id, status } = run.execution
      if (status !== 'RUNNING') await callsSettled(run.ctx, execution_id)
    },
    { also_if_stopped: true },
  )
  return 'CONTINUE'
}

async function askIfMade(run: RunState, tool: Tool, call: RecordedCall): Promise<AfterStep> {
  const ticket_url = await ticketUrlOf(run, call)
  await withRunLock(
    run,
    async () => {
      const til_request_id = await APPROVAL_GATE.get().askIfMade(run, tool, call, ticket_url)
      await storeCall(run, call, { status: 'WAITING', til_request_id, error_code: OUTCOME_UNKNOWN })
      await pause(run, 'ASK_INPUT')
    },
    { with_slots: true },
  )
  return 'STOP'
}

async function afterAnswer(run: RunState, tool: Tool, call: RecordedCall): Promise<AfterStep> {
  const answer = await APPROVAL_GATE.get().answerIfMade(run, call.til_request_id as string)
  const told = answer === 'LEAVE' ? await askedOnce(run, tool, call) : answer
  const next = await withRunLock(
    run,
    async () => {
      if (answer === 'NOT_MADE') {
        const over = await subscriptionCeiling(run)
        const again = await storeCall(run, call, { ...PLAIN, status: over ? 'WAITING' : 'STARTED' })
        return over ? await stop(run, over) : again
      }
      await settle(run, tool, call, told === 'MADE' ? SUCCEEDED : LEFT)
      return 'CONTINUE'
    },
    { with_slots: true },
  )
  return typeof next === 'string' ? next : await executeStarted(run, tool, next, 'NOT_MADE')
}
