/** The rules of giving a ticket to a technician. */
import type { RefusalReason } from '../../../connectors/port.ts'
import type { PsaTicket } from '../../../connectors/psa.ts'
import type { Assignment, DecisionRow } from '../decision.ts'
import type { Status } from '../queries.ts'

/** The statuses of a decision that still can give its ticket to a technician. */
export const OPEN = ['SUGGESTED', 'NONE_FITS'] as const satisfies readonly Status[]

export const isOpen = ({ status }: Pick<DecisionRow, 'status'>): boolean =>
  OPEN.some((open) => open === status)

/** True for a suggestion whose time is over, before that is stored. */
export const isOver = (
  { status, expires_at }: Pick<DecisionRow, 'status' | 'expires_at'>,
  now: Date,
): boolean => status === 'SUGGESTED' && expires_at <= now

/** The ending of a suggestion whose time is over. */
export const OVERDUE = { status: 'EXPIRED', reason: 'Nobody applied it within 24 hours.' } as const

/** A decision that ends without its ticket given to a technician, and the words for it. */
export interface Ending {
  status: 'EXPIRED' | 'FAILED'
  reason: string
}

type Ticket = Pick<PsaTicket, 'assignee_psa_id' | 'closed_at'>

/** The ending by the ticket as the PSA has it; null: the ticket can be given to a technician. */
export function endingBy(ticket: Ticket | null): Ending | null {
  if (!ticket) return { status: 'FAILED', reason: 'The PSA does not have the ticket any more.' }
  if (ticket.closed_at !== null) return { status: 'EXPIRED', reason: 'The ticket was closed meanwhile.' }
  if (ticket.assignee_psa_id !== null)
    return { status: 'EXPIRED', reason: 'The ticket was assigned to somebody meanwhile.' }
  return null
}

const REFUSED: Partial<Record<RefusalReason, string>> = {
  CHANGE_REFUSED: 'it does not take the change',
  TECHNICIAN_NOT_FOUND: 'it does not know the technician',
  TICKET_NOT_FOUND: 'it does not have the ticket any more',
  NOT_SUPPORTED: 'it cannot give tickets to technicians',
}

/** The ending by a refusal of the PSA. */
export const refusedBy = (reason: RefusalReason): Ending => ({
  status: 'FAILED',
  reason: `The PSA refused the technician: ${REFUSED[reason] ?? reason.toLowerCase().replaceAll('_', ' ')}.`,
})

/** The ending of an automatic decision whose technician was deleted. */
export const DELETED: Ending = { status: 'FAILED', reason: 'The technician was deleted meanwhile.' }

/** The write that gives the ticket of the decision to the technician. One technician has one key. */
export const assignmentOf = (
  decision_id: string,
  technician: Pick<Assignment, 'technician_id' | 'psa_id'>,
  override?: Assignment['override'],
): Assignment => ({
  ...technician,
  key: `${decision_id}/assign/${technician.technician_id}`,
  ...(override && { override }),
})
