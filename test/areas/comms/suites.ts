import type { CommsMessage } from '../../../src/db/generated/client/client.ts'
import { addMessages } from '../../setup/comms.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'
import { addSharedAgents } from '../../setup/suites/parents.ts'
import { at, instant, isEqual, type ListSampler, newestFirst } from '../../setup/suites/sampler.ts'
import { agent, at_row, ofEnum } from '../../setup/suites/skewed.ts'
import { SENDING } from './suites-of-sending.ts'

const AGENTS = [1, 2, 3]

const comms_messages: ListSampler<CommsMessage> = {
  async add(msp, numbers) {
    await addSharedAgents(msp, AGENTS)
    await addMessages(
      msp,
      numbers.map((n) => ({
        id: `cms_${String(n).padStart(4, '0')}`,
        direction: at(['OUTBOUND', 'OUTBOUND', 'INBOUND'] as const, n),
        medium: at(['EMAIL', 'CHAT', 'TICKET_NOTE', 'EMAIL'] as const, n),
        status: at(['SENT', 'DELIVERED', 'FAILED', 'QUEUED', 'SENT'] as const, n),
        agent_id: at([1, 2, 3, null], n >> 1),
        execution_id: at(['exe_1', 'exe_2', null], n >> 1),
        end_user_id: at(['ada', null, 'bob'], n >> 2),
        ticket_id: at(['4711', '4712', null], n >> 2),
        created_at: instant(n),
      })),
    )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.commsMessage.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.commsMessage.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id',
  orders: { '': newestFirst(({ id }) => id) },
  isSeenBy: ({ agent_id }) => agent_id !== 2,
  filters: {
    direction: isEqual('direction', ['OUTBOUND', 'INBOUND']),
    medium: isEqual('medium', ['CHAT', ['EMAIL', 'TICKET_NOTE']]),
    status: isEqual('status', ['SENT', ['FAILED', 'QUEUED']]),
    agent_id: isEqual('agent_id', [1, 2, 3, 999]),
    execution_id: isEqual('execution_id', ['exe_1', 'unknown']),
    end_user_id: isEqual('end_user_id', ['ada', 'unknown']),
    ticket_id: isEqual('ticket_id', ['4711', 'unknown']),
  },
  indexed: ['direction', 'medium', 'status', 'agent_id', 'execution_id', 'end_user_id', 'ticket_id'],
  grows: {
    agent_id: [1, 21, 301, 302, 999],
    execution_id: ['exe_0000007', '-'],
    end_user_id: ['end_7', '-'],
    ticket_id: ['7', '-'],
  },
}

export const SUITES: AreaSuites = {
  who_may: {
    comms_messages: { scope: 'comms:read' },
    comms_message: { scope: 'comms:read' },
    ...SENDING.who_may,
  },
  examples: {
    reads: {
      comms_messages: { direction: 'OUTBOUND', page_size },
      comms_message: { message_id: from('comms_messages', 'id') },
    },
    writes: SENDING.writes,
  },
  async own_rows(msp, { id, mark, of }) {
    const { agent_id, execution_id } = { ...(await of('agents')), ...(await of('executions')) }
    // The triggers make messages with the ids of rows of channels.
    const message_id = `cms_own_${id}`
    const texts = { body: mark, subject: mark, recipient_name: mark, ticket_id: mark }
    await addMessages(msp, [
      { id: message_id, agent_id: Number(agent_id), execution_id: String(execution_id), ...texts },
    ])
    return { message_id }
  },
  lists: { comms_messages },
  skewed_rows: {
    comms_message: {
      id: `'cms_' || lpad(n::text, 7, '0')`,
      direction: ofEnum('comms_direction', 'OUTBOUND'),
      medium: ofEnum('comms_medium', 'EMAIL', 2),
      status: ofEnum('comms_status', 'SENT', 3),
      body: `'Hello.'`,
      agent_id: agent,
      execution_id: `'exe_' || lpad(n::text, 7, '0')`,
      end_user_id: `'end_' || n % 50000`,
      ticket_id: `(n % 50000)::text`,
      created_at: at_row,
      updated_at: at_row,
    },
  },
  channel_writes: SENDING.channel_writes,
  fetched_again: SENDING.fetched_again,
  foreign_tables: {
    end_user: 'a reply of a customer names the contact as it is stored',
  },
  error_codes: {
    404: 'message_not_found',
    409: SENDING.errors_409,
  },
}
