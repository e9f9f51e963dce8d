/** Cases of the operations on links, for the suites of all operations. */
import { feedbackUrl } from '../../../src/access/credentials/feedback-link.ts'
import { SIGNING_SECRET } from '../../setup/app.ts'
import { type Link, linkIn } from '../../setup/feedback.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from } from '../../setup/suites/calls.ts'

/** The end of a link of the demo. */
const EXPIRES_AT = new Date('2026-12-01T00:00:00Z')

/** The arguments of a link to the feedback of an earlier answer. */
function linkFrom(operation: string): Record<keyof Link, unknown> {
  const id = from(operation, 'id')
  const of = (name: keyof Link) =>
    Object.assign(
      (answered: Parameters<typeof id>[0]) =>
        linkIn(
          feedbackUrl(
            { signing_secrets: [SIGNING_SECRET], public_url: '' },
            { id: String(id(answered)), expires_at: EXPIRES_AT },
          ),
        )[name],
      { of: operation },
    )
  return { feedback_id: id, expires: of('expires'), signature: of('signature') }
}

export const LINKS = {
  who_may: {
    create_feedback_link: { scope: 'feedback:write' },
    revoke_feedback: { scope: 'feedback:write' },
    feedback_form: 'holders of a link',
    submit_feedback: 'holders of a link',
  },
  reads: {
    feedback_form: linkFrom('feedback_entries'),
  },
  writes: {
    create_feedback_link: {
      input: { execution_id: from('executions', 'execution_id'), expires_in_hours: 72 },
    },
    submit_feedback: {
      ...linkFrom('create_feedback_link'),
      input: { rating: 'POSITIVE', comment: 'The mailbox works again. Thank you for the quick help!' },
    },
    revoke_feedback: { feedback_id: from('create_feedback_link', 'id') },
  },
  channel_writes: {
    create_feedback_link: 'runs at once',
    submit_feedback: 'runs at once',
    revoke_feedback: 'runs at once',
  },
  fetched_again: {
    create_feedback_link: ['feedback_entries'],
    submit_feedback: ['feedback_entry'],
  },
} as const satisfies {
  who_may: AreaSuites['who_may']
  reads: AreaSuites['examples']['reads']
  writes: AreaSuites['examples']['writes']
  channel_writes: AreaSuites['channel_writes']
  fetched_again: AreaSuites['fetched_again']
}
