/** The job of billing. */
import { retentionJob } from '../../jobs/retention.ts'
import { RETENTION_DAYS } from '../performance/index.ts'

/** Questions are kept as long as credits are summed up. */
export const deleteOldQuestions = retentionJob({
  name: 'billing.delete_old_questions',
  table: 'model_question',
  time: 'at',
  days: RETENTION_DAYS + 1,
})
