/** The escalations of the tenant: what tools ask of the service's own data. */
import type { Outcome, PortContext } from './port.ts'

/** The chat in which an agent answers. */
export interface ChatOfCall {
  channel_id: string
  conversation_id: string
}

/** Work that an agent hands over to people. */
export interface Raised {
  agent_id: number
  /** The execution, or the chat, in which the agent works. */
  work: { execution_id: string } | ChatOfCall
  /** The words of the agent. */
  reason: string
  /** True if an end user asked for a person. */
  end_user_asked: boolean
}

/** The problem with an escalation that is not opened. */
type EscalationProblem = 'NO_POLICY'

export interface Escalations {
  /** Opens an escalation, once for each key. Its id, or that of the one which the work has already, or the problem. */
  raise(
    raised: Raised,
    idempotency_key: string,
  ): Promise<{ event_id: string } | { problem: EscalationProblem }>
  outcomeOf(idempotency_key: string): Promise<Outcome>
}

export type EscalationsConnector = (ctx: PortContext) => Escalations
