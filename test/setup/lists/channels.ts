import type { Channel, ChannelInstall, ChannelMessage } from '../../../src/db/generated/client/client.ts'
import { addChannels, addInstalls, addMessages } from '../channels.ts'
import { at, instant, isEqual, type ListSampler, newestFirst } from './sampler.ts'
import { addSharedAgents } from './shared-agents.ts'

const AGENTS = [1, 2, 3]

const numbered = (prefix: string, n: number): string => `${prefix}_${String(n).padStart(3, '0')}`

export const channels: ListSampler<Channel> = {
  async add(msp, numbers) {
    await addSharedAgents(msp, AGENTS)
    await addChannels(
      msp,
      numbers.map((n) => ({
        id: numbered('chn', n),
        agent_id: at(AGENTS, n),
        transport: at(['SLACK', 'MICROSOFT_TEAMS', 'WEB_CHAT'] as const, n >> 1),
        audience: at(['TECHNICIANS', 'END_USERS'] as const, n),
        status: at(['ACTIVE', 'PAUSED', 'ERROR', 'UNINSTALLED', 'PENDING_INSTALL'] as const, n),
        created_at: instant(n),
      })),
    )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.channel.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.channel.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id',
  orders: { '': newestFirst(({ id }) => id) },
  isSeenBy: ({ agent_id }) => agent_id === 1 || agent_id === 3,
  filters: {
    agent_id: isEqual('agent_id', [1, 2, 999]),
    transport: isEqual('transport', ['SLACK', 'WHITE_LABEL_TEAMS_APP', 'WEB_CHAT']),
    status: isEqual('status', ['ACTIVE', ['PAUSED', 'UNINSTALLED']]),
    audience: isEqual('audience', ['TECHNICIANS', 'END_USERS']),
  },
}

/** Every fifth install is of another channel. */
const channelOf = (n: number): string => (n % 5 === 0 ? 'chn_2' : 'chn_1')

export const channel_installs: ListSampler<ChannelInstall> = {
  required: { channel_id: 'chn_1' },
  async add(msp, numbers) {
    const known = await msp.database.prisma.channel.count({ where: { tenant_id: msp.tenant_id } })
    if (known === 0) {
      await addSharedAgents(msp, AGENTS)
      await addChannels(
        msp,
        ['chn_1', 'chn_2'].map((id) => ({ id, agent_id: 1 })),
      )
    }
    await addInstalls(
      msp,
      numbers.map((n) => ({
        id: numbered('ins', n),
        channel_id: channelOf(n),
        workplace_tenant_id: numbered('wpt', n),
        installed_at: instant(n),
        status: at(['ACTIVE', 'UNINSTALLED'] as const, n),
      })),
    )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.channelInstall.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, workplace_tenant_id) {
    await prisma.channelInstall.deleteMany({ where: { tenant_id, workplace_tenant_id } })
  },
  id: 'workplace_tenant_id',
  orders: {
    '': [
      { value: ({ installed_at }) => installed_at, descending: true },
      { value: ({ id }) => id, descending: true },
    ],
  },
  filters: { channel_id: isEqual('channel_id', ['chn_1', 'chn_2']) },
}

/** Every fifth message is on another channel. */
export const channel_messages: ListSampler<ChannelMessage> = {
  required: { channel_id: 'chn_1' },
  async add(msp, numbers) {
    const known = await msp.database.prisma.channel.count({ where: { tenant_id: msp.tenant_id } })
    if (known === 0) {
      await addSharedAgents(msp, AGENTS)
      await addChannels(
        msp,
        ['chn_1', 'chn_2'].map((id) => ({ id, agent_id: 1 })),
      )
    }
    await addMessages(
      msp,
      numbers.map((n) => ({
        id: numbered('msg', n),
        channel_id: channelOf(n),
        conversation_id: at(['one', 'two', 'three'], n),
        created_at: instant(n),
      })),
    )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.channelMessage.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.channelMessage.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id',
  orders: { '': newestFirst(({ id }) => id) },
  filters: {
    channel_id: isEqual('channel_id', ['chn_1', 'chn_2']),
    conversation_id: isEqual('conversation_id', ['one', 'two', 'nothing']),
  },
}
