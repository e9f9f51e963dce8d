import { z } from 'zod'
import { text } from '../details.ts'
import { type ErrorTable, noSuch } from '../entry.ts'

export const DISPATCH = {
  dispatch_rule_not_found: noSuch('dispatch rule'),
  dispatch_decision_not_found: noSuch('dispatch decision'),
  dispatch_decision_closed: {
    status: 409,
    message: 'The decision is closed: it takes no change any more.',
    fix: 'Read the decision: its status and its explanation say how it ended.',
    details: z.object({ status: text('Its status.', 'EXPIRED') }),
  },
  no_candidates: {
    status: 409,
    message: 'The decision chose no technician.',
    fix: 'Choose a technician by overriding the decision.',
  },
  dispatch_disabled: {
    status: 409,
    message: 'Dispatch is turned off.',
    fix: 'Turn it on first, by `enabled: true` in the settings of dispatch.',
  },
} as const satisfies ErrorTable
