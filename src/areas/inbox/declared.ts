/** The jobs of inboxes, as they are enqueued. */
import { z } from 'zod'

/** Mails an item to its user. */
export const MAIL_ITEM = {
  name: 'inbox.mail_item',
  payload: z.object({ item_id: z.string(), asked_at: z.iso.datetime() }),
  tenancy: 'tenant',
} as const
