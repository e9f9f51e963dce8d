/** The declarations of the jobs of channels, for those who enqueue them. */
import { z } from 'zod'

export const ANSWER_MESSAGE = {
  name: 'channels.answer',
  payload: z.object({ message_id: z.string() }),
  tenancy: 'tenant',
} as const

export const SEND_ANSWER = {
  name: 'channels.send',
  payload: z.object({ message_id: z.string() }),
  tenancy: 'tenant',
} as const
