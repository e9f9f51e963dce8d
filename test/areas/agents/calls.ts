/** Reads of agents. */
import type { Answer, Api, Arguments } from '../../setup/api.ts'
import type { Caller } from '../../setup/world.ts'

export const ids = ({ data }: Answer): number[] => data.map(({ id }: { id: number }) => id)

export const list = (api: Api, caller: Caller, args: Arguments = {}) => api.call(caller, 'agents', args)

export const read = (api: Api, caller: Caller, agent_id: unknown) => api.call(caller, 'agent', { agent_id })
