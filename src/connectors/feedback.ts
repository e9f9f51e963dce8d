/** The feedback of end users: what tools ask of the service's own data. */
import type { Outcome, PortContext } from './port.ts'
import type { Psa } from './psa.ts'

/** A feedback link that an agent sends. */
export interface LinkToSend {
  agent_id: number
  /** The execution in which the agent works. null: it works in none. */
  execution_id: string | null
  /** null: the ticket that the execution works on, if it does. */
  ticket_id: string | null
  /** The end user who is asked. null: the contact of the ticket. */
  end_user_id: string | null
  medium: 'TICKET_NOTE' | 'EMAIL'
  /** The PSA, as far as the call reaches. */
  psa: Pick<Psa, 'ticket'>
  /** The company whose people can be written to; it has no id if there is none. null: those of every company. */
  company: { psa_company_id: string | null } | null
}

/** The link with its message. */
interface SentLink {
  feedback_id: string
  message_id: string
}

/** The problem with a link that is not sent. */
export type FeedbackProblem =
  | 'ENTITY_REQUIRED'
  | 'TICKET_NOT_FOUND'
  | 'END_USER_NOT_FOUND'
  | 'NO_ADDRESS'
  | 'EMAIL_NOT_CONFIGURED'

export interface Feedback {
  /** Makes a link and the message that has it, once for each key. Their ids, or the problem. */
  sendLink(link: LinkToSend, idempotency_key: string): Promise<SentLink | { problem: FeedbackProblem }>
  outcomeOf(idempotency_key: string): Promise<Outcome>
}

export type FeedbackConnector = (ctx: PortContext) => Feedback
