/** The events of channels. */
import { declareEvents, maybeText, text, whole, word } from '../../schema/events/declare.ts'
import { THROUGH_AGENT } from '../../schema/events/sight.ts'
import type { ChannelRow } from './channel.ts'

const CHANNEL_EVENTS = declareEvents('channel', {
  data: {
    channel_id: text('The channel.'),
    agent_id: whole('The agent that answers there.'),
    name: text('The name of the channel.'),
    transport: word('The kind of chat.', ['SLACK', 'MICROSOFT_TEAMS', 'WHITE_LABEL_TEAMS_APP', 'WEB_CHAT']),
    status: word('The status of the channel.', [
      'PENDING_INSTALL',
      'ACTIVE',
      'PAUSED',
      'ERROR',
      'UNINSTALLED',
    ]),
    status_reason: maybeText('The reason of the status. null: none.'),
  },
  seen: THROUGH_AGENT,
  about: ({ channel_id, agent_id }) => ({ id: channel_id, agent_id }),
  events: {
    installed: { description: 'The app of a channel was installed.', available: false },
    uninstalled: { description: 'The app of a channel was removed.', available: false },
    error: {
      severity: 'CRITICAL',
      description:
        'Three answers in a row could not be sent to the chat of a channel, or a test of the channel failed.',
    },
  },
})

type Told = Pick<ChannelRow, 'id' | 'agent_id' | 'name' | 'transport' | 'status' | 'status_reason'>

/** The event of a channel that is in ERROR. */
export const channelError = ({ id: channel_id, agent_id, name, transport, status, status_reason }: Told) =>
  CHANNEL_EVENTS.error({ channel_id, agent_id, name, transport, status, status_reason })
