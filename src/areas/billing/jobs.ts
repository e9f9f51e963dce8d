/** The jobs of billing. */
import { NO_PAYLOAD, systemJob } from '../../jobs/job.ts'
import { retentionJob } from '../../jobs/retention.ts'
import { RETENTION_DAYS } from '../performance/index.ts'
import { reachThresholds } from './thresholds.ts'

// Contract silent: a threshold is told of within five minutes; no run waits for the sum of the credits.
/** Tells of the thresholds of the billing alerts that were reached. */
export const tellOfThresholds = systemJob({
  name: 'billing.reach_thresholds',
  schedule: '*/5 * * * *',
  payload: NO_PAYLOAD,
  timeout_seconds: 600,
  transaction: false,
  handler: (ctx) => reachThresholds(ctx),
})

/** Questions are kept as long as credits are summed up. */
export const deleteOldQuestions = retentionJob({
  name: 'billing.delete_old_questions',
  table: 'model_question',
  time: 'at',
  days: RETENTION_DAYS + 1,
})
