import { addWorkToRate, makeLink } from '../../setup/feedback.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { LINKS } from './suites-of-links.ts'
import { LISTS } from './suites-of-lists.ts'

export const SUITES: AreaSuites = {
  who_may: { ...LISTS.who_may, ...LINKS.who_may },
  examples: {
    reads: { ...LISTS.reads, ...LINKS.reads },
    writes: LINKS.writes,
  },
  own_rows: LISTS.own_rows,
  shown_with: LISTS.shown_with,
  events: {
    async 'feedback.submitted'({ msp, call }) {
      await addWorkToRate(msp)
      const link = await makeLink(msp)
      await call('submit_feedback', { ...link, input: { rating: 'NEGATIVE' } })
    },
  },
  lists: LISTS.lists,
  skewed_rows: LISTS.skewed_rows,
  channel_writes: LINKS.channel_writes,
  fetched_again: LINKS.fetched_again,
  not_walked: ['FeedbackLink.agent', 'FeedbackLink.execution', 'FeedbackLink.feedback'],
  error_codes: {
    404: 'feedback_not_found',
    409: 'feedback_closed',
  },
}
