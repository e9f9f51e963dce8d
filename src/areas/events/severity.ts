/** The severity of events, and of items of inboxes. */
import { enumFrom } from '../../schema/builder.ts'

export const EventSeverity = enumFrom('EventSeverity')
