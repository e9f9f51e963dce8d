/** The loop and the jobs of webhooks. */
import { tenantJob } from '../../jobs/job.ts'
import type { Loop } from '../../jobs/loop.ts'
import { retentionJob } from '../../jobs/retention.ts'
import { SEND, SEND_SLOWLY } from './declared.ts'
import { sendDue } from './deliver.ts'
import { queueDeliveries } from './queue.ts'

export const queueWebhooks: Loop = {
  name: 'webhooks.queue',
  interval_ms: 1_000,
  run: queueDeliveries,
}

/** Each job is at one endpoint, which it sends a few deliveries at once. */
const SENDING = {
  transaction: false,
  waits: true,
  concurrency: 12,
  concurrency_of_tenant: 9,
  timeout_seconds: 60,
  handler: sendDue,
} as const

export const sendWebhooks = tenantJob({ ...SEND, ...SENDING })

export const sendSlowWebhooks = tenantJob({
  ...SEND_SLOWLY,
  ...SENDING,
  concurrency: 40,
  concurrency_of_tenant: 20,
})

/** Deletes the deliveries that are no longer kept. */
export const deleteOldDeliveries = retentionJob({
  name: 'webhooks.delete_old_deliveries',
  table: 'webhook_delivery',
  time: 'created_at',
  days: 30,
})
