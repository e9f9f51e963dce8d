/** Dispatch: what tools ask of the service's own data. */
import type { Outcome, PortContext } from './port.ts'
import type { Psa } from './psa.ts'

/** A ticket that an agent hands over. */
export interface TicketToDispatch {
  ticket_id: string
  agent_id: number
  /** The execution in which the agent works. null: it works in none. */
  execution_id: string | null
  /** The PSA, as far as the call reaches. */
  psa: Psa
}

/** The decision about the ticket. */
interface Dispatched {
  decision_id: string
  status: string
  /** null: nobody fits. */
  technician_id: number | null
  explanation: string
}

/** The problem with a ticket that gets no decision. */
export type DispatchProblem = 'DISPATCH_DISABLED' | 'TICKET_NOT_FOUND' | 'TICKET_ASSIGNED' | 'TICKET_CLOSED'

export interface Dispatching {
  /** Decides who takes the ticket, once for each key. The decision, or the one that the ticket has, or the problem. */
  assign(
    ticket: TicketToDispatch,
    idempotency_key: string,
  ): Promise<Dispatched | { problem: DispatchProblem }>
  outcomeOf(idempotency_key: string): Promise<Outcome>
}

export type DispatchingConnector = (ctx: PortContext) => Dispatching
