/** Tool calls of agents that different people see. */
import { addAgents, addExecutions, share } from '../../setup/agents.ts'
import type { Answer } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addEntries } from '../../setup/audit-log.ts'
import { days, type Msp, world } from '../../setup/world.ts'

export const ids = ({ data }: Answer): string[] => data.map(({ id }: { id: string }) => id)

/** The instant that many days ago. */
export const ago = (count: number): Date => new Date(clock.now().getTime() - days(count))

/** Agents 1 to 4 with executions exe_1 … exe_4: the USER created 1, the VIEWER 2, 3 is shared with both. */
export async function sharedAgents(): Promise<Msp> {
  const msp = await world()
  await addAgents(msp, [
    { id: 1, name: 'Triage', created_by_user_id: msp.user.id },
    { id: 2, created_by_user_id: msp.viewer.id },
    { id: 3, created_by_user_id: msp.admin.id },
    { id: 4 },
  ])
  await share(msp, 3, msp.user.id)
  await share(msp, 3, msp.viewer.id)
  await addExecutions(
    msp,
    [1, 2, 3, 4].map((agent_id) => ({ execution_id: `exe_${agent_id}`, agent_id })),
  )
  return msp
}

/** One call of each agent, a1 … d1, from four days ago to one day ago. */
export async function sharedCalls(): Promise<Msp> {
  const msp = await sharedAgents()
  await addEntries(
    msp,
    ['a1', 'b1', 'c1', 'd1'].map((id, index) => ({
      id,
      agent_id: index + 1,
      execution_id: `exe_${index + 1}`,
      occurred_at: ago(4 - index),
    })),
  )
  return msp
}
