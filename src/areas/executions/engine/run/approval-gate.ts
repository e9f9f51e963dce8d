/** The questions of a run to technicians. */
import type { MutationContext } from '../../../../gateway/context.ts'
import { extensionPoint } from '../../../../lib/extension-point.ts'
import type { PreparedCall, ToolFailure } from '../../../../tools/execute.ts'
import type { Tool } from '../../../../tools/tool.ts'
import type { RecordedCall, RunState } from './run-lock.ts'
import type { EventContext } from './timeline.ts'

/** The answer of technicians to a call before it is made. */
export type Gate =
  | { do: 'PASS'; arguments: Record<string, unknown>; til_request_id?: string }
  | { do: 'WAIT'; status: 'WAITING_FOR_APPROVAL' | 'WAITING_FOR_INPUT'; til_request_id: string }
  /** `ends`: the work ends with the refusal. */
  | { do: 'REFUSED'; til_request_id: string; by_name: string | null; comment: string | null; ends: boolean }
  | { do: 'ANSWERED'; til_request_id?: string; result: Record<string, unknown> }
  | { do: 'SHADOWED'; til_request_id: string }
  /** Nobody was asked. */
  | { do: 'UNAVAILABLE'; til_request_id?: string; failure: ToolFailure }

/** The reason why a call was not made, or failed. */
export interface CallError {
  code: string
  message: string
}

export interface AskedOfGate {
  beyond: boolean
  prepared: PreparedCall | null
  /** The failure of every call of the tool at present; null: the call is possible. */
  unavailability: () => Promise<ToolFailure | null>
}

export interface ApprovalGate {
  /**
   * Asked in the transaction that records the call as started, or as waiting, while the execution is locked. `beyond`: the
   * call asks for more than the company of the work. `prepared`: what a tool with rules of its own says about approval.
   * `unavailability` is looked at before anybody is asked.
   */
  gateOf(run: RunState, tool: Tool, call: RecordedCall, asks: AskedOfGate): Promise<Gate>
  /**
   * Asks whether a call was made, which only people can tell: a QUESTION. `ticket_url`: the page of its ticket for people. The
   * id of the request.
   */
  askIfMade(run: RunState, tool: Tool, call: RecordedCall, ticket_url: string | null): Promise<string>
  /** The answer to that request; LEAVE if there is none. */
  answerIfMade(run: RunState, til_request_id: string): Promise<'MADE' | 'NOT_MADE' | 'LEAVE'>
  /** Takes note of the end of the call that the request was about, with its error. The names of the deciders; null: there are none. */
  callEnded(ctx: EventContext, til_request_id: string, error: CallError | null): Promise<string | null>
  /** Cancels the open requests of an execution that is cancelled. */
  cancelRequests(ctx: MutationContext, execution_id: string): Promise<void>
}

/** Without it no call passes: its use throws. */
export const APPROVAL_GATE = extensionPoint<ApprovalGate>('the approval gate of runs')
