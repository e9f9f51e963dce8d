import fc from 'fast-check'
import type { ScheduledWork } from '../../../src/db/generated/client/client.ts'
import { addAgents } from '../../setup/agents.ts'
import { clock } from '../../setup/app.ts'
import { startDueOf } from '../../setup/due.ts'
import { addPsaTickets } from '../../setup/psa.ts'
import { addScheduledWork } from '../../setup/scheduled-work.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'
import { addSharedAgents } from '../../setup/suites/parents.ts'
import { at, instant, isEqual, isIn, type ListSampler } from '../../setup/suites/sampler.ts'
import { some, textOrNone } from '../../setup/suites/sent-back.ts'
import { agent, at_row, ofEnum } from '../../setup/suites/skewed.ts'
import { days, type Msp } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'

const entry_id = from('scheduled_work', 'id')

const AGENTS = [1, 2, 3]

const scheduled_work: ListSampler<ScheduledWork> = {
  async add(msp, numbers) {
    await addSharedAgents(msp, AGENTS)
    await addScheduledWork(
      msp,
      numbers.map((n) => ({
        id: n + 1,
        workflow_id: at(AGENTS, n),
        status: at(['COMPLETED', 'FAILED', 'CANCELLED', 'PROCESSING'] as const, n),
        ticket_id: at(['4711', 'a_12', '4713'], n >> 1),
        ticket_number: at(['T-4711', 'Ä%12', null], n >> 1),
        scheduled_for: instant(n),
      })),
    )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.scheduledWork.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.scheduledWork.deleteMany({ where: { tenant_id, id: Number(id) } })
  },
  id: 'id',
  orders: {
    latest: [
      { value: ({ scheduled_for }) => scheduled_for, descending: true },
      { value: ({ id }) => id, descending: true },
    ],
    scheduled_for: [{ value: ({ scheduled_for }) => scheduled_for }, { value: ({ id }) => id }],
  },
  isSeenBy: ({ workflow_id }) => workflow_id === 1 || workflow_id === 3,
  filters: {
    status: isEqual('status', ['COMPLETED', 'PENDING', 'FAILED']),
    ticket_id: isEqual('ticket_id', ['4711', 'unknown']),
    search: isIn((row) => [row.ticket_id, row.ticket_number], ['t-47', 'ä%', '_1', '47']),
    workflow_id: isEqual('workflow_id', [1, 2, 999]),
  },
  indexed: ['status', 'ticket_id', 'workflow_id'],
  grows: { ticket_id: ['7', '-'], workflow_id: [1, 200, 301, 9999] },
}

/** Starts a due entry of an agent that adds a note. */
async function startEntry(msp: Msp, agent: object): Promise<void> {
  const note = { type: 'ticket.add_note', params: { text: 'Hello.', visibility: 'INTERNAL' } }
  await installQueues()
  await addAgents(msp, [{ id: 1, autonomy_type: 'CHAINED_ACTIONS', actions: [note], ...agent }])
  await addPsaTickets(msp, [{ ticket_id: '4711' }])
  await addScheduledWork(msp, [{ workflow_id: 1, scheduled_for: new Date(clock.now().getTime() - 1000) }])
  await startDueOf(msp)
}

export const SUITES: AreaSuites = {
  who_may: {
    scheduled_work: { scope: 'scheduled_work:read' },
    scheduled_work_entry: { scope: 'scheduled_work:read' },
    create_scheduled_work: { scope: 'scheduled_work:write', and: 'agents:run' },
    reschedule_work: { scope: 'scheduled_work:write' },
    cancel_scheduled_work: { scope: 'scheduled_work:write' },
  },
  examples: {
    reads: {
      scheduled_work: { status: 'PENDING', page_size },
      scheduled_work_entry: { entry_id: from('scheduled_work', 'id') },
    },
    writes: {
      create_scheduled_work: {
        input: {
          workflow_id: 1,
          ticket_id: from('executions', 'entity_id'),
          scheduled_for: '2026-11-23T09:00:00.000Z',
          additional_custom_instructions: 'Look again once the vendor has answered.',
        },
      },
      reschedule_work: { entry_id, input: { scheduled_for: '2026-11-23T10:30:00.000Z' } },
      cancel_scheduled_work: {
        entry_id: from('scheduled_work', 'id', 1),
        input: { reason: 'The customer solved it.' },
      },
    },
  },
  // The argument `entry_id` names entries of the audit log too: theirs is the same number as a text.
  async own_rows(msp, { mark, of }) {
    const workflow_id = Number((await of('agents')).agent_id)
    await addScheduledWork(msp, [{ id: workflow_id, workflow_id, ticket_number: mark, created_by: mark }])
    return {}
  },
  lists: { scheduled_work },
  skewed_rows: {
    scheduled_work: {
      id: 'n',
      status: ofEnum('scheduled_work_status', 'COMPLETED'),
      scheduled_for: at_row,
      workflow_id: agent,
      ticket_id: `(n % 50000)::text`,
      created_by: `'Somebody'`,
      created_at: at_row,
      updated_at: at_row,
    },
  },
  events: {
    async 'scheduled_work.created'({ msp, call }) {
      await addAgents(msp, [{ id: 1 }])
      await addPsaTickets(msp, [{ ticket_id: '4711' }])
      const scheduled_for = new Date(clock.now().getTime() + days(1)).toISOString()
      await call('create_scheduled_work', { input: { workflow_id: 1, ticket_id: '4711', scheduled_for } })
    },
    'scheduled_work.completed': ({ msp }) => startEntry(msp, {}),
    'scheduled_work.failed': ({ msp }) => startEntry(msp, { state: 'PAUSED' }),
    async 'scheduled_work.cancelled'({ msp, call }) {
      await addAgents(msp, [{ id: 1 }])
      await addScheduledWork(msp, [{ workflow_id: 1 }])
      const [entry] = await call('scheduled_work')
      await call('cancel_scheduled_work', { entry_id: entry.id })
    },
  },
  channel_writes: {
    create_scheduled_work: 'runs at once',
    reschedule_work: 'runs at once',
    cancel_scheduled_work: 'runs at once',
  },
  fetched_again: {
    create_scheduled_work: ['scheduled_work'],
    reschedule_work: ['scheduled_work'],
  },
  sent_back: {
    reschedule_work: {
      bodies: () =>
        some({
          scheduled_for: fc
            .integer({ min: 2, max: 300 })
            .map((count) => new Date(clock.now().getTime() + days(count) + count).toISOString()),
          additional_custom_instructions: textOrNone,
        }),
    },
  },
  error_codes: {
    404: 'scheduled_work_not_found',
    409: 'scheduled_work_not_cancellable scheduled_work_not_editable scheduled_work_duplicate',
  },
}
