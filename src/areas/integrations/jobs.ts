/** The jobs of connections. */
import { NO_PAYLOAD, systemJob, tenantJob } from '../../jobs/job.ts'
import { retentionJob } from '../../jobs/retention.ts'
import { REGISTER_WEBHOOKS, REMOVE_WEBHOOKS } from './connection/webhook-jobs.ts'
import { forgetRemoval, tellOfWebhooks } from './connection/webhook-queries.ts'
import {
  RETRIES,
  RETRY_SECONDS,
  registerWebhooks,
  removeWebhooks,
  renewWebhooks,
} from './connection/webhooks.ts'

const CALLS_SYSTEMS = {
  transaction: false,
  retries: RETRIES,
  retry_delay_seconds: RETRY_SECONDS,
  timeout_seconds: 120,
  concurrency: 10,
  waits: true,
} as const

export const registerWebhooksOfConnection = tenantJob({
  ...REGISTER_WEBHOOKS,
  ...CALLS_SYSTEMS,
  // Two at once would each find nothing registered.
  concurrency_of_tenant: 1,
  handler: registerWebhooks,
  async onGivenUp(ctx, { name }) {
    await tellOfWebhooks(ctx, name, false)
  },
})

export const removeWebhooksOfConnection = tenantJob({
  ...REMOVE_WEBHOOKS,
  ...CALLS_SYSTEMS,
  handler: removeWebhooks,
  async onGivenUp(ctx, { removal_id }) {
    await forgetRemoval(ctx, removal_id)
  },
})

export const renewWebhooksHourly = systemJob({
  name: 'integrations.renew_webhooks',
  schedule: '17 * * * *',
  payload: NO_PAYLOAD,
  transaction: false,
  handler: renewWebhooks,
})

/** Deletes credentials that were kept to remove webhooks, however that went. */
export const deleteOldRemovals = retentionJob({
  name: 'integrations.delete_old_removals',
  table: 'webhook_removal',
  time: 'created_at',
  days: 1,
})
