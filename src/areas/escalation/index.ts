/** The exports of the area for other areas. */
export { changesOfTicketSince } from './change-ticket.ts'
