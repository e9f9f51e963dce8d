/** The jobs of callbacks. */
import { NO_PAYLOAD, systemJob, tenantJob } from '../../jobs/job.ts'
import type { Loop } from '../../jobs/loop.ts'
import { retentionJob } from '../../jobs/retention.ts'
import { giveUpPoll, POLL, poll, queuePolls } from './polling/poll.ts'
import { giveUpCallback, giveUpGroup, processCallback, processGroup } from './processing/group.ts'
import { PROCESS_CALLBACK, PROCESS_GROUP } from './processing/job.ts'
import { RETRIES } from './processing/process.ts'
import { admitWhereOpen, enqueueLost } from './processing/sweep.ts'
import { AT_ONCE, GROUP } from './rules/admission.ts'
import { RETENTION_DAYS, VERSION_DAYS } from './rules/callbacks.ts'

const PROCESSING = {
  transaction: false,
  retries: RETRIES,
  timeout_seconds: 300,
  // Most of the time of a callback it waits for the PSA.
  waits: true,
  // A busy tenant has hundreds a minute, and their callbacks tell the same for longer.
  kept_seconds: 600,
} as const

export const processCallbacks = tenantJob({
  ...PROCESS_CALLBACK,
  ...PROCESSING,
  concurrency: 50,
  concurrency_of_tenant: AT_ONCE,
  handler: processCallback,
  onGivenUp: giveUpCallback,
})

export const processGroups = tenantJob({
  ...PROCESS_GROUP,
  ...PROCESSING,
  concurrency: 50,
  concurrency_of_tenant: GROUP,
  handler: processGroup,
  onGivenUp: giveUpGroup,
})

/** Admits the callbacks of tenants whose gate has opened. */
export const admitCallbacks: Loop = {
  name: 'callbacks.admit',
  interval_ms: 500,
  run: admitWhereOpen,
}

/** Enqueues callbacks whose job was lost. */
export const sweepCallbacks = systemJob({
  name: 'callbacks.sweep',
  schedule: '* * * * *',
  payload: NO_PAYLOAD,
  transaction: false,
  handler: enqueueLost,
})

/** Looks for connections whose PSA is to be asked for what changed. */
export const queuePollsDue: Loop = {
  name: 'callbacks.queue_polls',
  interval_ms: 2000,
  run: queuePolls,
}

export const pollPsa = tenantJob({
  ...POLL,
  transaction: false,
  retries: 1,
  timeout_seconds: 300,
  concurrency: 20,
  // Most of its time it waits for the PSA.
  waits: true,
  handler: poll,
  onGivenUp: giveUpPoll,
})

/** Deletes the callbacks that are no longer kept, with their matches. */
export const deleteOldCallbacks = retentionJob({
  name: 'callbacks.delete_old',
  table: 'callback',
  time: 'received_at',
  days: RETENTION_DAYS,
})

/** Deletes the versions of entities that have not changed for long. */
export const deleteOldVersions = retentionJob({
  name: 'callbacks.delete_old_versions',
  table: 'callback_entity',
  key: ['psa_key', 'entity'],
  time: 'seen_at',
  days: VERSION_DAYS,
})

/** Deletes the bodies of the PSA's requests that are no longer kept. */
export const deleteOldPayloads = retentionJob({
  name: 'callbacks.delete_old_payloads',
  table: 'callback_payload',
  time: 'received_at',
  days: RETENTION_DAYS,
})
