import type { Agent } from '../../../src/db/generated/client/client.ts'
import { startOf } from '../../../src/lib/timezone.ts'
import { addAgents, addExecutions, shareAll } from '../../setup/agents.ts'
import { clock } from '../../setup/app.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { page_size } from '../../setup/suites/calls.ts'
import { at, isEqual, type ListSampler, type SampleKey } from '../../setup/suites/sampler.ts'
import { days } from '../../setup/world.ts'

type Row = Pick<Agent, 'id' | 'name' | 'autonomy_type' | 'created_by_user_id'> & {
  agent_id: number
  shared_with: string[]
  executions: { hours_saved: number; credits_consumed: number }[]
}

const most = (value: (row: Row) => number): SampleKey<Row>[] => [
  { value, descending: true },
  { value: ({ id }) => id },
]

const sum = (values: number[]): number => values.reduce((a, b) => a + b, 0)

const performance_by_agent: ListSampler<Row> = {
  async add(msp, numbers) {
    await addAgents(
      msp,
      numbers.map((n) => ({
        id: n + 1,
        name: `${at(['Triage', 'CAFÉ', 'mail'], n)} ${n % 7}`,
        autonomy_type: at(['AGENTIC', 'CHAINED_ACTIONS'] as const, n),
        created_by_user_id: n % 4 === 0 ? msp.user.id : null,
      })),
    )
    const shared = numbers.filter((n) => n % 4 === 1)
    await shareAll(
      msp,
      shared.map((n) => n + 1),
      msp.user.id,
    )
    const now = clock.now()
    // The window begins with the month if nothing else is asked for.
    const month = startOf('MONTH', now, 'UTC').getTime()
    await addExecutions(
      msp,
      numbers.flatMap((n) =>
        Array.from({ length: n % 4 }, (_, index) => ({
          execution_id: `exe_${n}_${index}`,
          agent_id: n + 1,
          hours_saved: (n % 5) / 4,
          credits_consumed: (n % 3) / 2,
          created_at: new Date(Math.max(month, now.getTime() - days(index) / 24)),
        })),
      ),
    )
  },
  async rows({ database: { prisma }, tenant_id }) {
    const rows = await prisma.agent.findMany({
      where: { tenant_id },
      include: { shares: true, executions: true },
    })
    return rows.map(({ shares, executions, id, ...row }) => ({
      ...row,
      id,
      agent_id: id,
      shared_with: shares.map(({ user_id }) => user_id),
      executions: executions.map(({ hours_saved, credits_consumed }) => ({
        hours_saved: Number(hours_saved),
        credits_consumed: Number(credits_consumed),
      })),
    }))
  },
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.execution.deleteMany({ where: { tenant_id, agent_id: Number(id) } })
    await prisma.executionDaily.deleteMany({ where: { tenant_id, agent_id: Number(id) } })
    await prisma.agent.deleteMany({ where: { tenant_id, id: Number(id) } })
  },
  id: 'agent_id',
  orders: {
    total_executions: most(({ executions }) => executions.length),
    total_hours_saved: most(({ executions }) => sum(executions.map(({ hours_saved }) => hours_saved))),
    credits_consumed: most(({ executions }) => sum(executions.map((one) => one.credits_consumed))),
    name: [{ value: ({ name }) => name.toLowerCase() }, { value: ({ id }) => id }],
  },
  isSeenBy: (row, user_id) => row.created_by_user_id === user_id || row.shared_with.includes(user_id),
  filters: {
    autonomy_type: isEqual('autonomy_type', ['AGENTIC', 'CONVERSATIONAL']),
    // Both windows hold every execution.
    from: { values: ['2025-12-01T00:00:00Z'], meets: () => true },
    to: { values: ['2100-01-01T00:00:00Z'], meets: () => true },
  },
  bounded: {
    rows: 400,
    because: 'every page adds up the window of every agent, since agents come by their sums; agents are few',
  },
  steady: 'its rows are agents',
}

export const SUITES: AreaSuites = {
  who_may: {
    performance_summary: { scope: 'performance:read' },
    performance_timeseries: { scope: 'performance:read' },
    performance_by_agent: { scope: 'performance:read' },
  },
  examples: {
    reads: {
      performance_by_agent: { page_size },
      performance_summary: {},
      performance_timeseries: { granularity: 'DAY' },
    },
  },
  shown_by: { performance_summary: 'number', performance_timeseries: 'number' },
  lists: { performance_by_agent },
  varying: ['performance_by_agent'],
  foreign_tables: {
    execution: 'the figures are sums of executions over indexes that bench/ measures',
  },
}
