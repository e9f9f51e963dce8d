/** The life of a channel: it is paused, resumed and removed. */
import { scope } from '../../access/policies/policies.ts'
import { chatOf } from '../../connectors/chat.ts'
import type { Context } from '../../gateway/context.ts'
import { changeAll } from '../../schema/changes/change.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { area } from './area.ts'
import { chatChannelOf } from './conversations/send.ts'
import {
  answeringAgent,
  CHANNEL,
  checkAnswers,
  checkIsAgentOf,
  PAUSED_CHANNEL,
  removeInstalls,
} from './queries.ts'
import { isTestable, PAUSED_BY_ARCHIVING, STATUSES, TESTABLE, tested } from './rules.ts'

const channels = onTable(area, CHANNEL)

const access = scope('channels:write')

channels.change('pause_channel', {
  description: 'Pauses an ACTIVE channel: its agent answers no message there until it is resumed.',
  rest: { method: 'POST', path: '/channels/{channel_id}/pause' },
  access,
  errors: ['channel_not_active'],
  change: () => ({
    verb: 'paused',
    from: ['ACTIVE'],
    to: 'PAUSED',
    decide: () => ({ status: 'PAUSED', status_reason: null }),
  }),
})

onTable(area, PAUSED_CHANNEL).change('resume_channel', {
  description: 'Resumes a PAUSED channel, whose agent must be CONVERSATIONAL and ACTIVE.',
  rest: { method: 'POST', path: '/channels/{channel_id}/resume' },
  access,
  errors: ['channel_not_paused', 'agent_not_conversational', 'agent_not_active'],
  async change(ctx, { id }) {
    const agent = await answeringAgent(ctx, id)
    return {
      verb: 'resumed',
      from: ['PAUSED'],
      to: 'ACTIVE',
      decide(channel) {
        checkIsAgentOf(channel, agent)
        checkAnswers(agent)
        return { status: 'ACTIVE', status_reason: null, failed_sends: 0 }
      },
    }
  },
})

channels.change('test_channel', {
  description:
    'Tests a channel that is ACTIVE or in ERROR: its chat is asked whether it takes messages of the channel. It is ' +
    'ACTIVE afterwards if the chat does, and else in ERROR. If the chat does not answer, nothing changes.',
  rest: { method: 'POST', path: '/channels/{channel_id}/test' },
  access,
  errors: ['channel_not_active', 'upstream_unavailable'],
  async change(ctx, { id }) {
    // The chat is asked about the channel as it stays until the transaction ends.
    const channel = await CHANNEL.lock(ctx, id)
    const is_asked = channel.transport !== 'WEB_CHAT' && isTestable(channel)
    const is_open = is_asked ? await chatOf(ctx).isOpen(chatChannelOf(channel)) : true
    return { verb: 'tested', from: TESTABLE, decide: () => tested(is_open) }
  },
})

channels.change('delete_channel', {
  description:
    'Removes a channel, in whatever status: it is UNINSTALLED, wherever its app was, and its workspace can be bound ' +
    'again. One that is UNINSTALLED already stays as it is.',
  rest: { method: 'DELETE', path: '/channels/{channel_id}' },
  access,
  change: (ctx) => ({
    verb: 'uninstalled',
    from: STATUSES,
    to: 'UNINSTALLED',
    // Contract silent: the workspace is free for another channel; the activity keeps which one it was.
    decide: () => ({ status: 'UNINSTALLED', status_reason: null, workspace_id: null, workspace_name: null }),
    beforeWrite: ({ id }) => removeInstalls(ctx, id),
  }),
})

const OF_AGENT = {
  text: 'c.agent_id = $agent_id::int and c.status = any($statuses::text[]::channel_status[])',
}

// Contract silent: a channel that waits to be installed has nothing to pause.
/** Pauses the channels of an agent that is archived. */
export async function pauseChannelsOf(ctx: Context, agent_id: number): Promise<void> {
  const running = await CHANNEL.lockAll(ctx, OF_AGENT, { agent_id, statuses: PAUSED_BY_ARCHIVING })
  await changeAll(ctx, CHANNEL, running, {
    verb: 'paused',
    last: false,
    decide: () => ({ status: 'PAUSED' as const, status_reason: 'The agent was archived.' }),
  })
}
