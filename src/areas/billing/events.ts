/** The events of billing. */
import { declareEvents, number, text } from '../../schema/events/declare.ts'
import { ADMINS } from '../../schema/events/sight.ts'

export const BILLING_EVENTS = declareEvents('billing', {
  data: {
    threshold_pct: number('The threshold: a percentage of the included credits.'),
    credits_used: number('The credits that were used in the billing period when this was noticed.'),
    credits_included: number('The credits that the billing period includes.'),
    period_start: text('When the billing period began.'),
    period_end: text('When the billing period ends, exclusive.'),
  },
  seen: ADMINS,
  about: () => ({ id: 'subscription' }),
  events: {
    threshold_reached: {
      severity: 'WARNING',
      description:
        'The credits used in a billing period reached a threshold of the billing alerts: once for each threshold and period.',
    },
  },
})
