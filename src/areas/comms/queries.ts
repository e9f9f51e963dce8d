/** The table of messages, and its list. */
import { ofAgentsOrNone } from '../../schema/lists/of-agents.ts'
import { defineTable } from '../../schema/tables/table.ts'
import { CommsMessage, type MessageRow, messageEtag, TAGGED } from './message.ts'

const OF_AGENTS = ofAgentsOrNone('m')

export const MESSAGE = defineTable<MessageRow>()('CommsMessage', {
  alias: 'm',
  noun: 'comms_message',
  type: CommsMessage,
  argument: 'message_id',
  description: 'The id of the message.',
  not_found: 'message_not_found',
  title: ({ subject, recipient_name, medium }) => subject ?? recipient_name ?? medium,
  etag: messageEtag,
  // The text is read in the message alone, and addresses of people nowhere.
  recorded: ({ body: _body, address: _address, began_at: _began_at, ...message }) => message,
  ...OF_AGENTS.sight,
  unread: ['agent_or_none'],
  tagged: TAGGED,
})

const FACETS = { direction: 'm.direction', medium: 'm.medium', status: 'm.status' }

/** The messages that the caller sees, the newest first. */
export const MESSAGES = MESSAGE.list({
  name: 'comms_messages',
  facets: FACETS,
  facets_of_agents: FACETS,
  ...OF_AGENTS.by_agent,
  filters: {
    direction: MESSAGE.by.is('direction', 'Only messages of this direction.', 'facet'),
    medium: MESSAGE.by.isOneOf('medium', 'Only messages of these media', 'facet'),
    status: MESSAGE.by.isOneOf('status', 'Only messages with one of these statuses', 'facet'),
    agent_id: OF_AGENTS.agent_id('Only messages of this agent, by its `id`.'),
    execution_id: MESSAGE.by.is('execution_id', 'Only messages of this execution.', 'indexed'),
    end_user_id: MESSAGE.by.is('end_user_id', 'Only messages to or from this end user.', 'indexed'),
    ticket_id: MESSAGE.by.is('ticket_id', 'Only messages of this ticket.', 'indexed'),
  },
})
