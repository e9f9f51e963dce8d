/** The exports of the area for other areas. */
export { changesOfTicketSince } from './change-ticket.ts'
export { CAUSES } from './message.ts'
export { claimants, toldInInbox } from './told.ts'
