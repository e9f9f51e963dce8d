/** The exports of the area for other areas. */
export { notesOfTicketSince } from './note.ts'
export { keepReplies } from './replies.ts'
