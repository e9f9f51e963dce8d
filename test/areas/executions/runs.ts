import { addAgents, addExecutions, share } from '../../setup/agents.ts'
import type { Answer, Api, Arguments } from '../../setup/api.ts'
import { type Caller, type Msp, world } from '../../setup/world.ts'

export interface Row {
  execution_id: string
}

export const ids = ({ data }: Answer): string[] => data.map(({ execution_id }: Row) => execution_id)

export const list = (api: Api, caller: Caller, args: Arguments = {}) => api.call(caller, 'executions', args)

export const read = (api: Api, caller: Caller, execution_id: string) =>
  api.call(caller, 'execution', { execution_id })

export const at = (hour: number): Date => new Date(Date.UTC(2026, 5, 1, hour))

/** Agents 1 to 4 with executions a1 … d1: the USER created 1, the VIEWER 2, 3 is shared with both. */
export async function sharedRuns(): Promise<Msp> {
  const msp = await world()
  await addAgents(msp, [
    { id: 1, created_by_user_id: msp.user.id },
    { id: 2, created_by_user_id: msp.viewer.id },
    { id: 3, created_by_user_id: msp.admin.id },
    { id: 4 },
  ])
  await share(msp, 3, msp.user.id)
  await share(msp, 3, msp.viewer.id)
  await addExecutions(msp, [
    { execution_id: 'a1', agent_id: 1, created_at: at(1), status: 'FAILED' },
    { execution_id: 'b1', agent_id: 2, created_at: at(2) },
    { execution_id: 'c1', agent_id: 3, created_at: at(3) },
    { execution_id: 'd1', agent_id: 4, created_at: at(4) },
    { execution_id: 'a2', agent_id: 1, created_at: at(5) },
  ])
  return msp
}
