import { scope } from '../../access/policies/policies.ts'
import { addField, madeOf } from '../../schema/row-type.ts'
import { NO_FIELDS, wantedFields } from '../../schema/selection.ts'
import { Agent, type AgentRow } from '../agents/index.ts'
import { area } from './area.ts'
import { Channel, ChannelInstallPage, ChannelPage, channelEtag, channelId } from './channel.ts'
import { ChannelMessage, type MessageRow } from './conversations/message.ts'
import { CHANNEL_INSTALLS, CHANNELS, CHANNELS_OF_AGENT, channelOf, readChannel } from './queries.ts'
import './create.ts'
import './life.ts'
import './conversations/messages.ts'
import './update.ts'

addField(Agent, 'channels', (t) =>
  t.field({
    type: ChannelPage,
    graph_only: true,
    access: scope('channels:read'),
    description: 'The channels that are bound to the agent, the newest first.',
    ...CHANNELS_OF_AGENT.below<AgentRow>('id'),
  }),
)

addField(ChannelMessage, 'channel', (t) =>
  t.field({
    type: Channel,
    graph_only: true,
    access: scope('channels:read'),
    description: 'The channel.',
    ...madeOf<MessageRow>()(['channel_id'], ({ channel_id: id }, _args, ctx, info) =>
      channelOf(ctx, { id, fields: wantedFields(info) }),
    ),
  }),
)

area.query('channels', (t) =>
  t.field({
    type: ChannelPage,
    description: 'Lists the channels of the agents that the caller sees, the newest first.',
    rest: { method: 'GET', path: '/channels' },
    access: scope('channels:read'),
    args: CHANNELS.args,
    resolve: CHANNELS.resolve,
  }),
)

area.query('channel', (t) =>
  t.field({
    type: Channel,
    description:
      'Gets a channel. One of an agent that the caller does not see is answered as one that does not exist.',
    rest: { method: 'GET', path: '/channels/{channel_id}' },
    access: scope('channels:read'),
    errors: ['channel_not_found'],
    etag: channelEtag,
    args: { channel_id: t.arg(channelId) },
    resolve: (_root, { channel_id }, ctx, info) => readChannel(ctx, channel_id, wantedFields(info)),
  }),
)

area.query('channel_installs', (t) =>
  t.field({
    type: ChannelInstallPage,
    description:
      'Lists the workplace-suite tenants in which the app of a channel was installed, the latest first.',
    rest: { method: 'GET', path: '/channels/{channel_id}/installs' },
    access: scope('channels:read'),
    errors: ['channel_not_found'],
    args: CHANNEL_INSTALLS.args,
    resolve: async (root, args, ctx, info) => {
      await readChannel(ctx, String(args.channel_id), NO_FIELDS)
      return await CHANNEL_INSTALLS.resolve(root, args, ctx, info)
    },
  }),
)
