import { addAgents, share } from '../../setup/agents.ts'
import type { Answer, Api, Arguments } from '../../setup/api.ts'
import { addCallbacks, addMatches } from '../../setup/callbacks.ts'
import { type Caller, type Msp, world } from '../../setup/world.ts'

export const at = (hour: number): Date => new Date(Date.UTC(2026, 5, 1, hour))

export const ids = ({ data }: Answer): string[] => data.map(({ id }: { id: string }) => id)

export const list = (api: Api, caller: Caller, args: Arguments = {}) => api.call(caller, 'callbacks', args)

export const read = (api: Api, caller: Caller, callback_id: string) =>
  api.call(caller, 'callback', { callback_id })

export const matchesOf = (api: Api, caller: Caller, callback_id: string, args: Arguments = {}) =>
  api.call(caller, 'callback_matches', { callback_id, ...args })

/**
 * Agents 1 to 4: the USER created 1, the VIEWER 2, 3 is shared with both. All were matched with the callback `all`,
 * agent 4 alone with `fourth`, none with `none`.
 */
export async function matchedCallbacks(): Promise<Msp> {
  const msp = await world()
  await addAgents(msp, [
    { id: 1, created_by_user_id: msp.user.id },
    { id: 2, created_by_user_id: msp.viewer.id },
    { id: 3, created_by_user_id: msp.admin.id },
    { id: 4 },
  ])
  await share(msp, 3, msp.user.id)
  await share(msp, 3, msp.viewer.id)
  await addCallbacks(msp, [
    { id: 'all', received_at: at(3) },
    { id: 'fourth', received_at: at(2) },
    { id: 'none', received_at: at(1), status: 'FILTERED_OUT' },
  ])
  await addMatches(msp, [
    { callback_id: 'all', agent_id: 4, execution_id: 'exe_4' },
    { callback_id: 'all', agent_id: 1, execution_id: 'exe_1' },
    { callback_id: 'all', agent_id: 2, result: 'SKIPPED', reason_code: 'DEBOUNCED' },
    { callback_id: 'all', agent_id: 3, result: 'NOT_MATCHED', reason_code: 'CHANGE_TYPE_NOT_SELECTED' },
    { callback_id: 'fourth', agent_id: 4, execution_id: 'exe_5' },
  ])
  return msp
}
