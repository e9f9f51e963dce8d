/** Executions that fail, so that escalations open. */
import { addExecutions } from '../../setup/agents.ts'
import type { Msp } from '../../setup/world.ts'

type Execution = Partial<Parameters<typeof addExecutions>[1][number]> & { execution_id: string }

/** Executions of agent 1 that run. */
export const addFailing = (msp: Msp, executions: readonly Execution[]): Promise<void> =>
  addExecutions(
    msp,
    executions.map((execution) => ({ agent_id: 1, status: 'RUNNING', ...execution })),
  )

/** Every execution of the tenant that runs fails. */
export async function failAll({ database, tenant_id }: Msp): Promise<void> {
  await database.prisma.execution.updateMany({
    where: { tenant_id, status: 'RUNNING' },
    data: { status: 'FAILED', failure_kind: 'AGENT', error: 'It failed.' },
  })
}
