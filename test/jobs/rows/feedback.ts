/** Links of feedback whose time is over, and feedback that is no longer kept. */
import { addFeedback } from '../../setup/feedback.ts'
import { ago, LONG_AGO, type Rows } from './rows.ts'

// The ids of links are those of all environments.
export const FEEDBACK: Record<string, Rows> = {
  'feedback.expire': {
    store: (msp) =>
      addFeedback(msp, [
        { id: `fb_over_${msp.environment}`, created_at: ago(15), expires_at: ago(1) },
        { id: `fb_open_${msp.environment}`, created_at: ago(1), expires_at: ago(-1) },
      ]),
    todo: `select 1 from feedback_entry where environment = $1 and id like 'fb_over_%' and status = 'PENDING' and (
      select status from feedback_entry where environment = $1 and id like 'fb_open_%') = 'PENDING'`,
  },
  'feedback.delete_old_entries': {
    store: (msp) =>
      addFeedback(msp, [
        { id: `fb_old_${msp.environment}`, status: 'SUBMITTED', rating: 'NEUTRAL', created_at: LONG_AGO },
        { id: `fb_kept_${msp.environment}`, status: 'SUBMITTED', rating: 'NEUTRAL', created_at: ago(399) },
      ]),
    todo: `select 1 from feedback_entry where environment = $1 and id like 'fb_old_%' and (
      select count(*) from feedback_entry where environment = $1 and id like 'fb_kept_%') = 1`,
  },
}
