/** The jobs of webhooks, for those who enqueue them. */
import { z } from 'zod'

export const REGISTER_WEBHOOKS = {
  name: 'integrations.register_webhooks',
  payload: z.object({ name: z.string() }),
  tenancy: 'tenant',
} as const

export const REMOVE_WEBHOOKS = {
  name: 'integrations.remove_webhooks',
  payload: z.object({ removal_id: z.string() }),
  tenancy: 'tenant',
} as const
