import type { Execution } from '../../../src/db/generated/client/client.ts'
import { addExecutions } from '../agents.ts'
import { after, at, instant, isEqual, isIn, type ListSampler, newestFirst } from './sampler.ts'
import { addSharedAgents } from './shared-agents.ts'

const AGENTS = [1, 2, 3, 4]

const since = (field: 'created_at' | 'updated_at') => ({
  values: [instant(4), instant(15), after(6, 3)].map((value) => value.toISOString()),
  meets: (row: Execution, value: string) => row[field] >= new Date(value),
})

export const executions: ListSampler<Execution> = {
  async add(msp, numbers) {
    await addSharedAgents(msp, AGENTS)
    await addExecutions(
      msp,
      numbers.map((n) => ({
        execution_id: `exe_${String(n).padStart(3, '0')}`,
        agent_id: at(AGENTS, n),
        status: at(['COMPLETED', 'FAILED', 'SKIPPED', 'TIMED_OUT', 'COMPLETED'] as const, n),
        resolution: at(['FULL', 'NONE', 'PARTIAL'] as const, n),
        trigger: at(['TRIGGERED', 'RETRY'] as const, n >> 2),
        supervised: n % 3 === 0,
        entity_id: at(['4711', '4712', null], n >> 1),
        entity_number: at(['T-4711', 'Ä_12', null], n >> 1),
        message_for_dashboard: at([null, 'Done 100%', 'Mailbox'], n),
        created_at: instant(n),
        updated_at: n === 6 ? after(n, 5) : instant(n * 2),
      })),
    )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.execution.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, execution_id) {
    await prisma.execution.deleteMany({ where: { tenant_id, execution_id } })
  },
  id: 'execution_id',
  orders: { '': newestFirst(({ execution_id }) => execution_id) },
  isSeenBy: ({ agent_id }) => agent_id === 1 || agent_id === 3,
  filters: {
    agent_id: isEqual('agent_id', [1, 2, 999]),
    status: isEqual('status', ['FAILED', ['COMPLETED', 'SKIPPED', 'SKIPPED']]),
    entity_id: isEqual('entity_id', ['4711', 'unknown']),
    supervised: isEqual('supervised', [true, false]),
    resolution: isEqual('resolution', ['FULL', 'NONE']),
    trigger: isEqual('trigger', ['RETRY', 'RUN_NOW']),
    from: since('created_at'),
    to: {
      values: [instant(18).toISOString()],
      meets: (row, value: string) => row.created_at < new Date(value),
    },
    updated_since: since('updated_at'),
    search: isIn(
      (row) => [row.entity_number, row.entity_id, row.message_for_dashboard],
      ['t-47', '712', 'ä_', '%', 'MAIL'],
    ),
  },
}
