/** The SQL of channels, and how changes reach them. */

import { ofVisibleAgents, restrictedUser } from '../../access/policies/visibility.ts'
import { callerOf } from '../../access/viewer.ts'
import { db, tenancyOf } from '../../db/db.ts'
import { select } from '../../db/query/fragment.ts'
import { descending } from '../../db/query/keyset.ts'
import { projection } from '../../db/query/projection.ts'
import { lockTenant } from '../../db/transaction.ts'
import { ApiError, found } from '../../errors/errors.ts'
import { insertRecorded, recordedInsert } from '../../gateway/activity.ts'
import type { Context } from '../../gateway/context.ts'
import { defineResource, targetOf } from '../../schema/changes/change.ts'
import { updateAllOf } from '../../schema/changes/row-update.ts'
import { rowLoader, type WantedRow } from '../../schema/lists/data-loader.ts'
import { anyOf, defineList } from '../../schema/lists/list.ts'
import { defineNestedList } from '../../schema/lists/nested-list.ts'
import { type AgentRow, readRunnable } from '../agents/index.ts'
import { companyOfWorkplace } from '../end-companies/index.ts'
import {
  ChannelAudience,
  type ChannelInstallRow,
  type ChannelRow,
  ChannelStatus,
  ChannelTransport,
  channelEtag,
  channelId,
} from './channel.ts'
import { agentProblem, PAUSED_BY_ARCHIVING } from './rules.ts'

const columns = projection('Channel', 'c', { always: ['id'] })

/** The columns that the entity tag is made of. */
const TAGGED = ['revision', 'status', 'status_reason', 'workspace_id', 'workspace_name', 'last_message_at']

const user = (ctx: Context): string | null => restrictedUser(callerOf(ctx))

const OF_VISIBLE_AGENTS = ofVisibleAgents('c.agent_id')

/** The channels of the agents that the caller sees, in every status. */
export const CHANNELS = defineList<ChannelRow>()({
  name: 'channels',
  from: 'channel c',
  columns,
  parameters: { user },
  visible: (ctx) => (user(ctx) === null ? null : OF_VISIBLE_AGENTS),
  order: [descending('created_at', 'timestamptz'), descending('id', 'text')],
  filters: {
    agent_id: {
      type: 'Int',
      min: 1,
      description: 'Only channels of this agent, by its `id`.',
      where: 'c.agent_id = ?::int',
    },
    transport: {
      type: ChannelTransport,
      description: 'Only channels of this kind of chat.',
      where: 'c.transport = ?::text::channel_transport',
    },
    status: {
      type: [ChannelStatus],
      min_items: 1,
      description: 'Only channels in one of these statuses: separated by commas, or repeated.',
      where: anyOf('c.status', 'channel_status'),
    },
    audience: {
      type: ChannelAudience,
      description: 'Only channels for these people.',
      where: 'c.audience = ?::text::channel_audience',
    },
  },
})

/** The channels of each agent of a list of agents. */
export const CHANNELS_OF_AGENT = defineNestedList<ChannelRow>({
  name: 'Agent.channels',
  from: 'channel c',
  // An execution tells its agent to technicians who do not see it.
  where: `($user::text is null or ${OF_VISIBLE_AGENTS.text})`,
  parameters: { user },
  columns,
  order: [descending('created_at', 'timestamptz'), descending('id', 'text')],
  parent: { column: 'c.agent_id', type: 'int' },
})

/** The installs of one channel, the latest first. The caller must see the channel. */
export const CHANNEL_INSTALLS = defineList<ChannelInstallRow>()({
  name: 'channel_installs',
  from: 'channel_install i',
  columns: projection('ChannelInstall', 'i', {
    computed: {
      end_company_id: companyOfWorkplace('i'),
    },
    always: ['id'],
  }),
  order: [descending('installed_at', 'timestamptz'), descending('id', 'text')],
  filters: { channel_id: { ...channelId, where: 'i.channel_id = ?::text' } },
})

const loadChannel = rowLoader<string, ChannelRow>(
  (ctx, ids, fields) => {
    const text = `select ${columns.select(fields)} from channel c
      where c.tenant_id = $1 and c.environment = $2 and c.id = any($ids::text[])`
    return select(ctx, 'ChannelMessage.channel', { text }, { ids })
  },
  ({ id }) => id,
)

/** The channel of something that the caller sees, with the fields that are wanted. */
export const channelOf = async (ctx: Context, wanted: WantedRow<string>): Promise<ChannelRow> =>
  found(await loadChannel(ctx, wanted), 'channel_not_found', wanted.id)

async function readRow(
  ctx: Context,
  channel_id: string,
  wanted: ReadonlySet<string> | null,
  lock = '',
): Promise<ChannelRow> {
  const text = `select ${columns.select(wanted, TAGGED)} from channel c
    where c.tenant_id = $1 and c.environment = $2 and c.id = $id::text
      and ($user::text is null or ${OF_VISIBLE_AGENTS.text})${lock}`
  const [row] = await select<ChannelRow>(ctx, 'channel', { text }, { id: channel_id, user: user(ctx) })
  return found(row, 'channel_not_found', channel_id)
}

/** The channel with the fields that are wanted; 404 if the caller does not see its agent. */
export const readChannel = (ctx: Context, channel_id: string, wanted: ReadonlySet<string>) =>
  readRow(ctx, channel_id, wanted)

/** The channel, or 404, locked until the transaction ends. */
export const lockChannel = (ctx: Context, channel_id: string) =>
  readRow(ctx, channel_id, null, ' for update of c')

const ITS_AGENT: ReadonlySet<string> = new Set(['agent_id'])

/** The locked channel and its agent. The agent is locked first, as it is when it is archived. */
export async function lockWithAgent(ctx: Context, channel_id: string) {
  const { agent_id } = await readRow(ctx, channel_id, ITS_AGENT)
  const agent = await readRunnable(ctx, agent_id)
  const channel = await lockChannel(ctx, channel_id)
  return { channel, agent: channel.agent_id === agent.id ? agent : await readRunnable(ctx, channel.agent_id) }
}

/** 409 if the agent cannot answer in a chat. */
export function checkAnswers(agent: AgentRow): void {
  const code = agentProblem(agent)
  if (code) throw new ApiError(code, { details: { current_state: agent.state } })
}

type Status = ChannelRow['status']

const WRITE = updateAllOf('Channel', {
  key: ['id'],
  columns: [
    ...(['name', 'agent_id', 'status', 'status_reason', 'workspace_id', 'workspace_name'] as const),
    ...(['tickets_tab_enabled', 'display_name', 'accent_color', 'logo_url', 'install_url'] as const),
    'failed_sends',
  ],
})

const channel = (code: 'channel_not_active' | 'channel_not_paused') =>
  defineResource<ChannelRow, Status>()({
    noun: 'channel',
    etag: channelEtag,
    named: ({ id, name }) => ({ id, name }),
    write: WRITE,
    state: {
      of: ({ status }) => status,
      refusal: (_row, current_status) => new ApiError(code, { details: { current_status } }),
    },
  })

/** A channel, and one that must be PAUSED for what happens to it. */
export const CHANNEL = channel('channel_not_active')
export const PAUSED_CHANNEL = channel('channel_not_paused')

const OF_AGENT = `select ${columns.select(null)} from channel c
  where c.tenant_id = $1 and c.environment = $2 and c.agent_id = $agent_id::int
    and c.status = any($statuses::text[]::channel_status[])
  order by c.id for update of c`

/** The channels that archiving the agent pauses, locked until the transaction ends. */
export const lockRunningChannels = (ctx: Context, agent_id: number) =>
  select<ChannelRow>(ctx, 'channels.running', { text: OF_AGENT }, { agent_id, statuses: PAUSED_BY_ARCHIVING })

export async function removeInstalls(ctx: Context, channel_id: string): Promise<void> {
  const where = { channel_id, status: { not: 'UNINSTALLED' } } as const
  await db(ctx).channelInstall.updateMany({ where, data: { status: 'UNINSTALLED' } })
}

/** 409 if a channel is bound to the workspace; serialised per workspace. */
async function checkIsFree(
  ctx: Context,
  transport: ChannelRow['transport'],
  workspace_id: string,
): Promise<void> {
  await lockTenant(ctx, `${tenancyOf(ctx).environment} channel ${transport} ${workspace_id}`)
  const bound = await db(ctx).channel.findFirst({ where: { transport, workspace_id } })
  if (bound) throw new ApiError('channel_already_bound', { details: { channel_id: bound.id } })
}

const CREATE = recordedInsert('channels.create', 'Channel', {
  columns: [
    ...(['id', 'name', 'agent_id', 'transport', 'audience', 'status', 'workspace_id'] as const),
    ...(['workspace_name', 'tickets_tab_enabled', 'display_name', 'accent_color', 'logo_url'] as const),
    ...(['install_url', 'created_at', 'updated_at'] as const),
  ],
  returning: 'row',
})

type KeptByService = 'status_reason' | 'last_message_at' | 'failed_sends' | 'revision'

type Draft = Omit<ChannelRow, 'tenant_id' | 'environment' | KeptByService | 'created_at' | 'updated_at'>

/** Stores a new channel; 409 if its workspace has one already. */
export async function createChannel(ctx: Context, draft: Draft): Promise<ChannelRow> {
  const { id, name, transport, workspace_id } = draft
  if (workspace_id !== null) await checkIsFree(ctx, transport, workspace_id)
  const activity = { action: 'channel.created', targets: [targetOf(CHANNEL, { id, name })], after: draft }
  const row = { ...draft, created_at: ctx.now, updated_at: ctx.now }
  return await insertRecorded(ctx, CREATE, row, activity, { last: true })
}
