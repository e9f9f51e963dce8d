/** The life of a channel: it is paused, resumed and removed. */
import { scope } from '../../access/policies/policies.ts'
import { chatOf } from '../../connectors/chat.ts'
import type { Context } from '../../gateway/context.ts'
import { change, changeAll } from '../../schema/changes/change.ts'
import { area } from './area.ts'
import { Channel, channelEtag, channelId } from './channel.ts'
import { chatChannelOf } from './conversations/send.ts'
import {
  CHANNEL,
  checkAnswers,
  lockChannel,
  lockRunningChannels,
  lockWithAgent,
  PAUSED_CHANNEL,
  removeInstalls,
} from './queries.ts'
import { isTestable, STATUSES, TESTABLE, tested } from './rules.ts'

area.mutation('pause_channel', (t) =>
  t.field({
    type: Channel,
    description: 'Pauses an ACTIVE channel: its agent answers no message there until it is resumed.',
    rest: { method: 'POST', path: '/channels/{channel_id}/pause' },
    access: scope('channels:write'),
    errors: ['channel_not_found', 'channel_not_active', 'version_conflict'],
    etag: channelEtag,
    args: { channel_id: t.arg(channelId) },
    resolve: (_root, { channel_id }, ctx) =>
      change(ctx, CHANNEL, lockChannel(ctx, channel_id), {
        verb: 'paused',
        from: ['ACTIVE'],
        to: 'PAUSED',
        decide: () => ({ status: 'PAUSED' as const, status_reason: null }),
      }),
  }),
)

area.mutation('resume_channel', (t) =>
  t.field({
    type: Channel,
    description: 'Resumes a PAUSED channel, whose agent must be CONVERSATIONAL and ACTIVE.',
    rest: { method: 'POST', path: '/channels/{channel_id}/resume' },
    access: scope('channels:write'),
    errors: [
      ...(['channel_not_found', 'channel_not_paused'] as const),
      ...(['agent_not_conversational', 'agent_not_active', 'version_conflict'] as const),
    ],
    etag: channelEtag,
    args: { channel_id: t.arg(channelId) },
    resolve: async (_root, { channel_id }, ctx) => {
      const { channel, agent } = await lockWithAgent(ctx, channel_id)
      return await change(ctx, PAUSED_CHANNEL, channel, {
        verb: 'resumed',
        from: ['PAUSED'],
        to: 'ACTIVE',
        decide: () => {
          checkAnswers(agent)
          return { status: 'ACTIVE' as const, status_reason: null, failed_sends: 0 }
        },
      })
    },
  }),
)

area.mutation('test_channel', (t) =>
  t.field({
    type: Channel,
    description:
      'Tests a channel that is ACTIVE or in ERROR: its chat is asked whether it takes messages of the channel. It is ' +
      'ACTIVE afterwards if the chat does, and else in ERROR. If the chat does not answer, nothing changes.',
    rest: { method: 'POST', path: '/channels/{channel_id}/test' },
    access: scope('channels:write'),
    errors: ['channel_not_found', 'channel_not_active', 'upstream_unavailable', 'version_conflict'],
    etag: channelEtag,
    args: { channel_id: t.arg(channelId) },
    resolve: async (_root, { channel_id }, ctx) => {
      const channel = await lockChannel(ctx, channel_id)
      const is_asked = channel.transport !== 'WEB_CHAT' && isTestable(channel)
      const is_open = is_asked ? await chatOf(ctx).isOpen(chatChannelOf(channel)) : true
      return await change(ctx, CHANNEL, channel, {
        verb: 'tested',
        from: TESTABLE,
        decide: () => tested(is_open),
      })
    },
  }),
)

area.mutation('delete_channel', (t) =>
  t.field({
    type: Channel,
    description:
      'Removes a channel, in whatever status: it is UNINSTALLED, wherever its app was, and its workspace can be bound ' +
      'again. One that is UNINSTALLED already stays as it is.',
    rest: { method: 'DELETE', path: '/channels/{channel_id}' },
    access: scope('channels:write'),
    errors: ['channel_not_found', 'version_conflict'],
    etag: channelEtag,
    args: { channel_id: t.arg(channelId) },
    resolve: (_root, { channel_id }, ctx) =>
      change(ctx, CHANNEL, lockChannel(ctx, channel_id), {
        verb: 'uninstalled',
        from: STATUSES,
        to: 'UNINSTALLED',
        // Contract silent: the workspace is free for another channel; the activity keeps which one it was.
        decide: () => ({
          status: 'UNINSTALLED' as const,
          status_reason: null,
          workspace_id: null,
          workspace_name: null,
        }),
        beforeWrite: ({ id }) => removeInstalls(ctx, id),
      }),
  }),
)

// Contract silent: a channel that waits to be installed has nothing to pause.
/** Pauses the channels of an agent that is archived. */
export async function pauseChannelsOf(ctx: Context, agent_id: number): Promise<void> {
  await changeAll(ctx, CHANNEL, await lockRunningChannels(ctx, agent_id), {
    verb: 'paused',
    last: false,
    decide: () => ({ status: 'PAUSED' as const, status_reason: 'The agent was archived.' }),
  })
}
