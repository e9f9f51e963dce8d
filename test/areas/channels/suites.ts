import fc from 'fast-check'
import type { Channel, ChannelInstall, ChannelMessage } from '../../../src/db/generated/client/client.ts'
import { addAgents } from '../../setup/agents.ts'
import { addChannels, addInstalls, addMessages } from '../../setup/channels.ts'
import { playChat } from '../../setup/chat.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'
import { addSharedAgents } from '../../setup/suites/parents.ts'
import { at, instant, isEqual, type ListSampler, newestFirst } from '../../setup/suites/sampler.ts'
import { some, text } from '../../setup/suites/sent-back.ts'
import { at_row, mostly } from '../../setup/suites/skewed.ts'

const AGENTS = [1, 2, 3]

const numbered = (prefix: string, n: number): string => `${prefix}_${String(n).padStart(3, '0')}`

const channels: ListSampler<Channel> = {
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
  indexed: ['agent_id'],
  steady: 'people make its rows, one by one',
}

/** Every fifth install is of another channel. */
const channelOf = (n: number): string => (n % 5 === 0 ? 'chn_2' : 'chn_1')

const channel_installs: ListSampler<ChannelInstall> = {
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
  grows: { channel_id: ['chn_1', 'chn_2'] },
}

/** Every fifth message is on another channel. */
const channel_messages: ListSampler<ChannelMessage> = {
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
  indexed: ['conversation_id'],
  grows: { channel_id: ['chn_1', 'chn_2'], conversation_id: ['con_1', 'con_8', '-'] },
}

export const SUITES: AreaSuites = {
  who_may: {
    channels: { scope: 'channels:read' },
    channel: { scope: 'channels:read' },
    channel_installs: { scope: 'channels:read' },
    channel_messages: { scope: 'channels:read' },
    post_channel_message: { scope: 'channels:write' },
    create_channel: { scope: 'channels:write' },
    update_channel: { scope: 'channels:write' },
    pause_channel: { scope: 'channels:write' },
    resume_channel: { scope: 'channels:write' },
    test_channel: { scope: 'channels:write' },
    delete_channel: { scope: 'channels:write' },
  },
  examples: {
    reads: {
      channels: { page_size },
      channel: { channel_id: 'chn_help' },
      channel_installs: { channel_id: 'chn_help', page_size },
      channel_messages: { channel_id: 'chn_help', page_size },
    },
    writes: {
      create_channel: {
        input: {
          name: 'Field engineers',
          agent_id: 6,
          transport: 'SLACK',
          audience: 'TECHNICIANS',
          workspace_id: 'T04FIELD',
          workspace_name: 'Harbourline Field',
          branding: { display_name: 'Desk' },
        },
      },
      update_channel: { channel_id: 'chn_hotels', input: { tickets_tab_enabled: true } },
      post_channel_message: {
        channel_id: 'chn_help',
        input: {
          conversation_id: '19:7f1c_helpdesk@unq.gbl.spaces',
          sender: { end_user_id: from('end_users', 'id') },
          text: 'Is there anything known about the printer on the second floor?',
        },
      },
      pause_channel: { channel_id: 'chn_desk' },
      resume_channel: { channel_id: 'chn_site' },
      test_channel: { channel_id: 'chn_projects' },
      delete_channel: { channel_id: 'chn_dental' },
    },
  },
  async own_rows(msp, { id, mark, of }) {
    const agent_id = Number((await of('agents')).agent_id)
    const channel_id = `chn_${id}`
    const texts = { name: mark, status_reason: mark, workspace_id: mark, workspace_name: mark }
    await addChannels(msp, [{ id: channel_id, agent_id, display_name: mark, ...texts }])
    await addMessages(msp, [
      { id: `msg_${id}`, channel_id, conversation_id: mark, workplace_user_id: mark, text: mark },
    ])
    await addInstalls(msp, [{ id: `ins_${id}`, channel_id, installer_email: `${mark}@example.test` }])
    return { channel_id }
  },
  lists: { channels, channel_installs, channel_messages },
  nested_lists: {
    'Agent.channels': {
      list: 'channels',
      parent: 'agent_id',
      parents: [1, 2].map((id) => [id, `agent(agent_id: ${id})`]),
    },
  },
  skewed_rows: {
    channel_install: {
      id: `'ins_' || lpad(n::text, 7, '0')`,
      channel_id: mostly(`'chn_1'`, `'chn_2'`),
      workplace_tenant_id: `'wpt_' || lpad(n::text, 7, '0')`,
      installed_at: at_row,
    },
    channel_message: {
      id: `'msg_' || lpad(n::text, 7, '0')`,
      channel_id: mostly(`'chn_1'`, `'chn_2'`),
      conversation_id: mostly(`'con_' || n % 3`, `'con_' || ? % 9`),
      author: `'PERSON'::message_author`,
      text: `'A message'`,
      status: `'ANSWERED'::message_status`,
      created_at: at_row,
      updated_at: at_row,
    },
  },
  events: {
    async 'channel.error'({ msp, call }) {
      await addAgents(msp, [{ id: 1 }])
      await addChannels(msp, [{ id: 'chn_1', agent_id: 1, workspace_id: 'T1' }])
      await playChat('CLOSED')
      await call('test_channel', { channel_id: 'chn_1' })
    },
  },
  channel_writes: {
    post_channel_message: 'runs at once',
    create_channel: 'runs at once',
    update_channel: 'runs at once',
    pause_channel: 'runs at once',
    resume_channel: 'runs at once',
    test_channel: 'runs at once',
    delete_channel: 'runs at once',
  },
  fetched_again: {
    create_channel: ['channels'],
    post_channel_message: ['channel_messages', 'comms_messages'],
  },
  sent_back: {
    update_channel: {
      bodies: () =>
        some({
          name: text,
          install_url: fc.constantFrom(null, 'https://msp.example', 'https://msp.example/app?x=%C3%B6'),
          branding: some({
            display_name: fc.constantFrom('Help', ' Größe '),
            accent_color: fc.constantFrom(null, '#0b6e99', '#0B6E99'),
            logo_url: fc.constantFrom(null, 'https://msp.example/logo.svg'),
          }),
        }),
    },
  },
  error_codes: {
    404: 'channel_not_found',
    409: 'channel_already_bound channel_not_active channel_not_paused',
  },
}
