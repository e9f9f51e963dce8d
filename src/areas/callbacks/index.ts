/** The exports of the area for other areas. */
export { lockAssignee, WRITES_ON_TICKETS } from './processing/read-entity.ts'
export { CUSTOMER_REPLIED, type CustomerReply } from './processing/replies.ts'
export { TICKET_READ } from './processing/ticket-read.ts'
export { hasQuiet, type QuietTicket, quietTickets, settleQuiet } from './quiet.ts'
export { type ReceivedEvent, receiveEvents } from './receive.ts'
export { RETENTION_DAYS } from './rules/callbacks.ts'
export type { OwnWrite } from './rules/own-changes.ts'
