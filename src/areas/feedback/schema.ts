import { scope } from '../../access/policies/policies.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { area } from './area.ts'
import { ENTRIES, ENTRY } from './queries.ts'
import './summary.ts'

import './answers.ts'
import './links.ts'

const readers = scope('feedback:read')

const entries = onTable(area, ENTRY)

entries.list('feedback_entries', ENTRIES, {
  description:
    'Lists feedback, the newest first: a link is in it from the moment at which it is made. Feedback about an agent is seen ' +
    'as the agent is, and about no agent by everybody.',
  rest: { method: 'GET', path: '/feedback' },
  access: readers,
})

entries.read('feedback_entry', {
  description:
    'Gets feedback, or its link that nobody has answered. Feedback that the caller does not see is not found.',
  rest: { method: 'GET', path: '/feedback/{feedback_id}' },
  access: readers,
})
