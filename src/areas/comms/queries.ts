/** The table of messages, and its list. */
import { ofAgent, restrictedUser, SEEN_AGENTS } from '../../access/policies/visibility.ts'
import { callerOf } from '../../access/viewer.ts'
import type { Condition } from '../../db/query/list.ts'
import type { Context } from '../../gateway/context.ts'
import { defineTable } from '../../schema/tables/table.ts'
import { CommsMessage, type MessageRow, messageEtag, TAGGED } from './message.ts'

const user = (ctx: Context): string | null => restrictedUser(callerOf(ctx))

const VISIBLE_OR_NONE = `(${SEEN_AGENTS} union all select 0)`

/** Messages of the agents that the user sees, and of no agent. */
const SEEN: Condition = {
  text: `m.agent_or_none = any(array${VISIBLE_OR_NONE})`,
  ranges: { rows: `${VISIBLE_OR_NONE} a`, alias: 'a', columns: ['id'], on: 'm.agent_or_none = a.id' },
}

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
  visible: (ctx) => (user(ctx) === null ? null : SEEN),
  parameters: { user },
  unread: ['agent_or_none'],
  tagged: TAGGED,
})

// An index has the messages of each agent by this column, which is of no agent if it is 0.
const OF_AGENT = ofAgent('m.agent_or_none', '$agent_id::int')
const OF_SEEN_AGENT: Condition = {
  text: `m.agent_or_none = any(array(${SEEN_AGENTS}))`,
  ranges: {
    rows: `(${SEEN_AGENTS} and a.id = $agent_id::int) a`,
    alias: 'a',
    columns: ['id'],
    on: 'm.agent_or_none = a.id',
  },
}

const FACETS = { direction: 'm.direction', medium: 'm.medium', status: 'm.status' }

// Contract silent: an agent that the caller does not see, or that is not there, has no messages to list.
/** The messages that the caller sees, the newest first. */
export const MESSAGES = MESSAGE.list({
  name: 'comms_messages',
  facets: FACETS,
  facets_of_agents: FACETS,
  parameters: { agent_id: (_ctx, { agent_id }) => agent_id },
  visible: (ctx, { agent_id }) => {
    if (user(ctx) === null) return null
    return agent_id == null ? SEEN : OF_SEEN_AGENT
  },
  filters: {
    direction: MESSAGE.by.is('direction', 'Only messages of this direction.', 'facet'),
    medium: MESSAGE.by.isOneOf('medium', 'Only messages of these media', 'facet'),
    status: MESSAGE.by.isOneOf('status', 'Only messages with one of these statuses', 'facet'),
    agent_id: {
      type: 'Int',
      min: 1,
      description: 'Only messages of this agent, by its `id`.',
      where: () => OF_AGENT,
    },
    execution_id: MESSAGE.by.is('execution_id', 'Only messages of this execution.', 'indexed'),
    end_user_id: MESSAGE.by.is('end_user_id', 'Only messages to or from this end user.', 'indexed'),
    ticket_id: MESSAGE.by.is('ticket_id', 'Only messages of this ticket.', 'indexed'),
  },
})
