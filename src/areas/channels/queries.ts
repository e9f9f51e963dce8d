/** The SQL of channels, and how changes reach them. */

import { ofVisibleAgents, restrictedUser, visibleAgent } from '../../access/policies/visibility.ts'
import { callerOf } from '../../access/viewer.ts'
import { db } from '../../db/db.ts'
import { descending } from '../../db/query/keyset.ts'
import { projection } from '../../db/query/projection.ts'
import { ApiError } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { StaleRow } from '../../schema/changes/change.ts'
import { defineList } from '../../schema/lists/list.ts'
import { defineNestedList } from '../../schema/lists/nested-list.ts'
import { NO_FIELDS } from '../../schema/selection.ts'
import { defineTable } from '../../schema/tables/table.ts'
import { type AgentRow, readRunnable } from '../agents/index.ts'
import { companyOfWorkplace } from '../end-companies/index.ts'
import { Channel, type ChannelInstallRow, type ChannelRow, channelEtag } from './channel.ts'
import { channelError } from './events.ts'
import { agentProblem } from './rules.ts'

const user = (ctx: Context): string | null => restrictedUser(callerOf(ctx))

const OF_VISIBLE_AGENTS = ofVisibleAgents('c.agent_id')

type Status = ChannelRow['status']

const stateWith = (code: 'channel_not_active' | 'channel_not_paused') => ({
  of: ({ status }: ChannelRow): Status => status,
  refusal: (_row: ChannelRow, current_status: Status) => new ApiError(code, { details: { current_status } }),
})

/** Channels are seen in every status by the callers who see their agents. */
export const CHANNEL = defineTable<ChannelRow, Status>()('Channel', {
  alias: 'c',
  noun: 'channel',
  type: Channel,
  argument: 'channel_id',
  description: 'The id of the channel.',
  not_found: 'channel_not_found',
  prefix: 'chn',
  etag: channelEtag,
  visible: (ctx) => (user(ctx) === null ? null : OF_VISIBLE_AGENTS),
  seen: (ctx) => ({ agent: visibleAgent(callerOf(ctx)) }),
  parameters: { user },
  unique: {
    channel_already_bound: {
      columns: ['transport', 'workspace_id'],
      details: ({ id }) => ({ channel_id: id }),
    },
  },
  constant: ['transport', 'audience', 'last_message_at'],
  events: (_verb, channel, before) =>
    channel.status === 'ERROR' && before?.status !== 'ERROR' ? [channelError(channel)] : [],
  state: stateWith('channel_not_active'),
})

/** A channel that must be PAUSED for its change. */
export const PAUSED_CHANNEL = { ...CHANNEL, state: stateWith('channel_not_paused') }

/** The channels of the agents that the caller sees, in every status. */
export const CHANNELS = CHANNEL.list({
  name: 'channels',
  filters: {
    agent_id: CHANNEL.by.is('agent_id', 'Only channels of this agent, by its `id`.'),
    transport: CHANNEL.by.is('transport', 'Only channels of this kind of chat.'),
    status: CHANNEL.by.isOneOf('status', 'Only channels in one of these statuses'),
    audience: CHANNEL.by.is('audience', 'Only channels for these people.'),
  },
})

/** The channels of each agent of a list of agents. */
export const CHANNELS_OF_AGENT = defineNestedList<ChannelRow>({
  name: 'Agent.channels',
  from: CHANNEL.from,
  // An execution tells its agent to technicians who do not see it.
  where: `($user::text is null or ${OF_VISIBLE_AGENTS.text})`,
  parameters: { user },
  columns: CHANNEL.columns,
  order: [descending('created_at', 'timestamptz'), descending('id', 'text')],
  parent: { column: 'c.agent_id', type: 'int' },
})

/** The installs of one channel, the latest first. The caller must see the channel. */
export const CHANNEL_INSTALLS = defineList<ChannelInstallRow>()({
  name: 'channel_installs',
  from: 'channel_install i',
  columns: projection('ChannelInstall', 'i', {
    computed: { end_company_id: companyOfWorkplace('i') },
    always: ['id'],
  }),
  order: [descending('installed_at', 'timestamptz'), descending('id', 'text')],
  filters: { channel_id: { ...CHANNEL.key, where: 'i.channel_id = ?::text' } },
})

/** 404 if the caller does not see the channel. */
export async function checkIsSeen(ctx: Context, channel_id: string): Promise<void> {
  await CHANNEL.select(ctx, channel_id, NO_FIELDS)
}

const ITS_AGENT: ReadonlySet<string> = new Set(['agent_id'])

/** The agent of the channel. It is locked before the channel, as it is when it is archived. */
export async function answeringAgent(ctx: Context, channel_id: string): Promise<AgentRow> {
  const { agent_id } = await CHANNEL.select(ctx, channel_id, ITS_AGENT)
  return await readRunnable(ctx, agent_id)
}

/** 409 if the agent cannot answer in a chat. */
export function checkAnswers(agent: AgentRow): void {
  const code = agentProblem(agent)
  if (code) throw new ApiError(code, { details: { current_state: agent.state } })
}

/** The transaction is tried again if the locked channel has another agent than the one that was read. */
export function checkIsAgentOf({ agent_id }: ChannelRow, agent: AgentRow): void {
  if (agent_id !== agent.id) throw new StaleRow(CHANNEL.noun)
}

export async function removeInstalls(ctx: Context, channel_id: string): Promise<void> {
  const where = { channel_id, status: { not: 'UNINSTALLED' } } as const
  await db(ctx).channelInstall.updateMany({ where, data: { status: 'UNINSTALLED' } })
}
