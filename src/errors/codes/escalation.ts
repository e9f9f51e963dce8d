import { z } from 'zod'
import { text, time } from '../details.ts'
import { type ErrorTable, noSuch } from '../entry.ts'

export const ESCALATION = {
  escalation_policy_not_found: noSuch('escalation policy'),
  escalation_event_not_found: noSuch('escalation'),
  // Contract silent: a support request that does not exist has a code of its own, as every resource has.
  support_request_not_found: noSuch('support request'),
  default_policy_required: {
    status: 409,
    message: 'One policy is the default, and stays enabled.',
    fix: 'Make another policy the default first, by `is_default: true`.',
  },
  already_acknowledged: {
    status: 409,
    message: 'Another person has taken the escalation over.',
    fix: 'Ask details.acknowledged_by_name, or resolve the escalation if it is over.',
    details: z.object({
      acknowledged_by_name: text('The name of who took it over.', 'Priya Nair'),
      acknowledged_at: time('When it was taken over.', '2026-11-21T09:04:00.000Z'),
    }),
  },
  escalation_event_closed: {
    status: 409,
    message: 'The escalation is resolved already.',
    fix: 'Read the escalation: it says who resolved it, and when.',
    details: z.object({ status: text('Its status.', 'RESOLVED') }),
  },
  support_not_configured: {
    status: 409,
    message: 'The operator of the service takes no support requests here.',
    fix: 'Ask the operator in another way.',
  },
} as const satisfies ErrorTable
