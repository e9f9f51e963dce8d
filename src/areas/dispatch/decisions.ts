/** The operations that read decisions. */
import { scope } from '../../access/policies/policies.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { area } from './area.ts'
import { DECISION, DECISIONS } from './queries.ts'

const readers = scope('dispatch:read')

const decisions = onTable(area, DECISION)

decisions.list('dispatch_decisions', DECISIONS, {
  description:
    'Lists the decisions, the newest first. A decision of an agent is seen as the agent is, and any other by everybody.',
  rest: { method: 'GET', path: '/dispatch/decisions' },
  access: readers,
})

decisions.read('dispatch_decision', {
  description: 'Gets a decision. One that the caller does not see is not found.',
  rest: { method: 'GET', path: '/dispatch/decisions/{decision_id}' },
  access: readers,
})
