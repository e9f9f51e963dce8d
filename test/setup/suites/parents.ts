/** Agents and executions that rows of lists belong to. */
import { addAgents, addExecutions, share } from '../agents.ts'
import type { Msp } from '../world.ts'

/** Adds the agents if the tenant has none, and tells whether it did: 1 is the USER's, and 3 shared with them. */
export async function addSharedAgents(msp: Msp, ids: readonly number[]): Promise<boolean> {
  const known = await msp.database.prisma.agent.count({ where: { tenant_id: msp.tenant_id } })
  if (known > 0) return false
  await addAgents(
    msp,
    ids.map((id) => ({ id, created_by_user_id: id === 1 ? msp.user.id : null })),
  )
  await share(msp, 3, msp.user.id)
  return true
}

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

/** Two of these executions, and the fields that read them. */
export const WHOLES = ['exe_1', 'exe_2'].map((id) => [id, `execution(execution_id: "${id}")`] as const)
