import type { ExecutionRun, TimelineEvent } from '../../../src/db/generated/client/client.ts'
import { addAgents, addExecutions } from '../agents.ts'
import { addEvents, addRuns } from '../til-requests.ts'
import type { Msp } from '../world.ts'
import { instant, isEqual, type ListSampler } from './sampler.ts'

const OF = 'exe_1'

/** Executions keep their requests to technicians since 12 August 2026. */
const CREATED = new Date('2026-09-01T00:00:00Z')

/** Executions exe_0, exe_1 and exe_2, of which lists ask for the parts. */
export async function addWholes(msp: Msp): Promise<void> {
  const known = await msp.database.prisma.execution.count({ where: { tenant_id: msp.tenant_id } })
  if (known > 0) return
  await addAgents(msp, [{ id: 1 }])
  await addExecutions(
    msp,
    [0, 1, 2].map((n) => ({ execution_id: `exe_${n}`, agent_id: 1, created_at: CREATED })),
  )
}

/** Two of three parts belong to the execution that lists ask for. */
export const wholeOf = (n: number): string => `exe_${[1, 1, 2][n % 3]}`

const text = (n: number): string => String(n).padStart(3, '0')

export const execution_runs: ListSampler<ExecutionRun> = {
  required: { execution_id: OF },
  async add(msp, numbers) {
    await addWholes(msp)
    await addRuns(
      msp,
      numbers.map((n) => ({
        execution_id: wholeOf(n),
        sequence: 100 - n,
        temporal_run_id: `run_${text(n)}`,
        started_at: instant(n),
      })),
    )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.executionRun.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, temporal_run_id) {
    await prisma.executionRun.deleteMany({ where: { tenant_id, temporal_run_id } })
  },
  id: 'temporal_run_id',
  orders: { '': [{ value: ({ sequence }) => sequence }] },
  filters: { execution_id: isEqual('execution_id', [OF, 'exe_2']) },
}

export const execution_timeline: ListSampler<TimelineEvent> = {
  required: { execution_id: OF },
  async add(msp, numbers) {
    await addWholes(msp)
    await addEvents(
      msp,
      numbers.map((n) => ({
        execution_id: wholeOf(n),
        sequence: 100 - n,
        id: `evt_${text(n)}`,
        at: instant(n),
      })),
    )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.timelineEvent.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.timelineEvent.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id',
  orders: { '': [{ value: ({ sequence }) => sequence }] },
  filters: { execution_id: isEqual('execution_id', [OF, 'exe_2']) },
}
