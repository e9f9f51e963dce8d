/** The jobs that delete expired rows of the gateway. */
import { deleteExpiredPlaces } from '../access/limits/request-places.ts'
import { EVENT_DAYS, LIVE_EVENT_DAYS } from '../db/live/events.ts'
import { sweepAnswers } from '../gateway/idempotency.ts'
import { NO_PAYLOAD, systemJob } from './job.ts'
import { retentionJob } from './retention.ts'

const EVERY_FIVE_MINUTES = '*/5 * * * *'

/** Deletes the buckets of rate limits that are full: no row means full. And places that lost processes had at vendors. */
export const sweepRateLimits = systemJob({
  name: 'gateway.sweep_rate_limits',
  schedule: EVERY_FIVE_MINUTES,
  payload: NO_PAYLOAD,
  transaction: false,
  async handler({ services }) {
    await services.limiter.sweep()
    await deleteExpiredPlaces(services.database.sql)
  },
})

/** Deletes the answers that were kept for an `Idempotency-Key` and have expired. */
export const sweepStoredAnswers = systemJob({
  name: 'gateway.sweep_kept_answers',
  schedule: EVERY_FIVE_MINUTES,
  payload: NO_PAYLOAD,
  transaction: false,
  handler: ({ services, now }) => sweepAnswers(services.database.sql, now, services.environment),
})

/** Deletes the live updates that no subscriber can go back to. */
export const deleteOldLiveEvents = retentionJob({
  name: 'gateway.delete_old_live_events',
  table: 'live_event',
  time: 'at',
  days: LIVE_EVENT_DAYS,
  where: "type = ''",
})

/** Deletes the events that the feed no longer keeps. */
export const deleteOldEvents = retentionJob({
  name: 'gateway.delete_old_events',
  table: 'live_event',
  time: 'at',
  days: EVENT_DAYS,
  where: "type <> ''",
})

/** Deletes the rows of followers whose process was lost. */
export const deleteLostLiveFollowers = retentionJob({
  name: 'gateway.delete_lost_live_followers',
  table: 'live_follower',
  time: 'expires_at',
  days: 1,
})
