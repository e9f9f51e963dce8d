/** The exports of the area for other areas. */
export { messageIdOf, type Reader, sendFeedbackLink } from './feedback-links.ts'
export { notesOfTicketSince } from './note.ts'
export { keepReplies } from './replies.ts'
export { FEEDBACK_LINK } from './rules.ts'
