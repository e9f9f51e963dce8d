/** The exports of the area for other areas. */

export { assignmentsOfTicketSince } from './assigning/own-writes.ts'
export { followTicket } from './follow-tickets.ts'
