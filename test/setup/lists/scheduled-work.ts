import type { ScheduledWork } from '../../../src/db/generated/client/client.ts'
import { addScheduledWork } from '../scheduled-work.ts'
import { at, instant, isEqual, isIn, type ListSampler } from './sampler.ts'
import { addSharedAgents } from './shared-agents.ts'

const AGENTS = [1, 2, 3]

export const scheduled_work: ListSampler<ScheduledWork> = {
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
}
