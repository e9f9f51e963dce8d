/** The jobs of webhooks, as they are enqueued. */
import { z } from 'zod'

const payload = z.object({ endpoint_id: z.string() })

/** Sends what is due to an endpoint. */
export const SEND = { name: 'webhooks.send', payload, tenancy: 'tenant' } as const

/** Sends what is due to an endpoint that is slow, so that it keeps no place from others. */
export const SEND_SLOWLY = { name: 'webhooks.send_slowly', payload, tenancy: 'tenant' } as const
