import { scope } from '../../access/policies/policies.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { area } from '../inbox/index.ts'
import { MESSAGE, MESSAGES } from './queries.ts'

import './retry.ts'
import './send.ts'

const readers = scope('comms:read')

const messages = onTable(area, MESSAGE)

messages.list('comms_messages', MESSAGES, {
  description:
    'Lists messages to and from people outside the service, the newest first. They are notes of tickets that the contact ' +
    'reads, e-mails and chats. A message of an agent is seen as the agent is, and one of no agent by everybody. What ' +
    'agents send follows their tool calls: it is PENDING_APPROVAL while a technician is asked.',
  rest: { method: 'GET', path: '/comms/messages' },
  access: readers,
})

messages.read('comms_message', {
  description: 'Gets a message. A message that the caller does not see is not found.',
  rest: { method: 'GET', path: '/comms/messages/{message_id}' },
  access: readers,
})
