import { scope } from '../../access/policies/policies.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { area } from './area.ts'
import { ESCALATION, ESCALATIONS } from './queries.ts'

import './claim.ts'
import './policies/schema.ts'
import './support/schema.ts'

const readers = scope('escalation:read')

const escalations = onTable(area, ESCALATION)

escalations.list('escalation_events', ESCALATIONS, {
  description:
    'Lists the escalations, the newest first: of agents that the caller sees, and of no agent. ' +
    'Whoever was told of an escalation by name sees it too.',
  rest: { method: 'GET', path: '/escalation/events' },
  access: readers,
})

escalations.read('escalation_event', {
  description: 'Gets an escalation.',
  rest: { method: 'GET', path: '/escalation/events/{event_id}' },
  access: readers,
})
