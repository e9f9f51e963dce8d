/** The jobs of messages, as they are enqueued. */
import { z } from 'zod'

const OF_MESSAGE = z.object({ message_id: z.string() })

/** Mails a message. */
export const SEND_MAIL = { name: 'comms.send_mail', payload: OF_MESSAGE, tenancy: 'tenant' } as const

/** Writes a message on its ticket. */
export const ADD_NOTE = { name: 'comms.add_note', payload: OF_MESSAGE, tenancy: 'tenant' } as const
