import { z } from 'zod'
import { text } from '../details.ts'
import { type ErrorTable, noSuch } from '../entry.ts'

export const INBOX = {
  inbox_item_not_found: noSuch('item in the inbox'),
  inbox_item_superseded: {
    status: 409,
    message: 'It happened again since, and another item of the inbox tells of it.',
    fix: 'Go on with the item in details.item_id.',
    details: z.object({ item_id: text('The open item with the same cause.', 'inb_3kf8') }),
  },
} as const satisfies ErrorTable
