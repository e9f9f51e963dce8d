import { scope } from '../../access/policies/policies.ts'
import { found } from '../../errors/errors.ts'
import { addPages, listOperation } from '../../schema/lists/list-operation.ts'
import { addField, madeOf } from '../../schema/row-type.ts'
import { wantedFields } from '../../schema/selection.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { Agent } from '../agents/index.ts'
import { area } from './area.ts'
import { Channel, ChannelInstall } from './channel.ts'
import { ChannelMessage, type MessageRow } from './conversations/message.ts'
import { CHANNEL, CHANNEL_INSTALLS, CHANNELS, CHANNELS_OF_AGENT, checkIsSeen } from './queries.ts'
import './create.ts'
import './life.ts'
import './conversations/messages.ts'
import './update.ts'

addPages(Agent, 'channels', CHANNELS_OF_AGENT, 'id', {
  of: Channel,
  access: scope('channels:read'),
  description: 'The channels that are bound to the agent, the newest first.',
})

addField(ChannelMessage, 'channel', (t) =>
  t.field({
    type: Channel,
    graph_only: true,
    access: scope('channels:read'),
    description: 'The channel.',
    ...madeOf<MessageRow>()(['channel_id'], async ({ channel_id: id }, _args, ctx, info) =>
      found(await CHANNEL.load(ctx, { id, fields: wantedFields(info) }), CHANNEL.not_found, id),
    ),
  }),
)

const channels = onTable(area, CHANNEL)

channels.list('channels', CHANNELS, {
  description: 'Lists the channels of the agents that the caller sees, the newest first.',
  rest: { method: 'GET', path: '/channels' },
  access: scope('channels:read'),
})

channels.read('channel', {
  description:
    'Gets a channel. One of an agent that the caller does not see is answered as one that does not exist.',
  rest: { method: 'GET', path: '/channels/{channel_id}' },
  access: scope('channels:read'),
})

listOperation(area, 'channel_installs', CHANNEL_INSTALLS, {
  of: ChannelInstall,
  description:
    'Lists the workplace-suite tenants in which the app of a channel was installed, the latest first.',
  rest: { method: 'GET', path: '/channels/{channel_id}/installs' },
  access: scope('channels:read'),
  errors: ['channel_not_found'],
  check: (ctx, { channel_id }) => checkIsSeen(ctx, String(channel_id)),
})
