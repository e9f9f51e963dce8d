/** The loop and the jobs of feedback. */
import { statement } from '../../db/sql.ts'
import type { Loop } from '../../jobs/loop.ts'
import { retentionJob } from '../../jobs/retention.ts'
import { KEPT_DAYS } from '../../lib/kept-window.ts'

const BATCH = 1000

// Links that a submit has locked are skipped: the next turn looks at them again.
const EXPIRE = statement(
  'feedback.expire',
  `update feedback_entry f set status = 'EXPIRED', updated_at = f.expires_at
   from (select tenant_id, environment, id from feedback_entry
     where status = 'PENDING' and environment = $2 and expires_at <= $1::timestamptz
     order by expires_at limit ${BATCH} for update skip locked) as over
   where (f.tenant_id, f.environment, f.id) = (over.tenant_id, over.environment, over.id)
   returning f.id`,
)

/** Stores that the time of links is over. */
export const expireFeedbackLinks: Loop = {
  name: 'feedback.expire',
  interval_ms: 1_000,
  async run({ services, signal }) {
    const { database, environment, now } = services
    for (let expired = BATCH; expired === BATCH && !signal.aborted; )
      expired = (await database.sql.rows(EXPIRE, [now(), environment])).length
  },
}

/** Deletes the feedback that is no longer kept. */
export const deleteOldFeedback = retentionJob({
  name: 'feedback.delete_old_entries',
  table: 'feedback_entry',
  time: 'created_at',
  days: KEPT_DAYS,
})
