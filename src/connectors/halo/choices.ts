/** Lists of choices of HaloPSA, which are kept for some minutes: answers have their ids alone. Sources as in `api.ts`. */
import { z } from 'zod'
import { amount, count, NAMED, type Named, text } from '../http/forms.ts'
import type { Api } from './api.ts'

const STATUS = NAMED.extend({
  /** Statuses of tickets have 0. [PD] */
  type: amount,
  sequence: amount,
})

export interface Status {
  id: number
  name: string
  is_closed: boolean
}

/** A priority counts within its SLA: `priorityid` is what tickets have, `id` is a GUID. [PD, DJ] */
const PRIORITY = z.object({ priorityid: count, slaid: amount, name: text })

type PriorityRow = z.infer<typeof PRIORITY>

export interface Choices {
  statuses: readonly Status[]
  priorities: readonly PriorityRow[]
  types: readonly Named[]
}

/** The choices, and never the promise of another connection. */
function kept<Value>(api: Api, list: string, load: () => Promise<Value>): Promise<Value> {
  return api.choices.get(`${api.name} ${list}`, load) as Promise<Value>
}

/** In their sequence. A closed status is one that `excludeclosed` leaves out. [SW, HA] */
export const statusesOf = (api: Api): Promise<readonly Status[]> =>
  kept(api, 'statuses', async () => {
    const [all, open] = await Promise.all([
      api.list(STATUS, '/Status', { type: 'ticket' }),
      api.list(STATUS, '/Status', { type: 'ticket', excludeclosed: true }),
    ])
    const open_ids = new Set(open.map(({ id }) => id))
    return all
      .filter(({ type }) => !type)
      .sort((one, other) => (one.sequence ?? 0) - (other.sequence ?? 0) || one.id - other.id)
      .map(({ id, name }) => ({ id, name: name ?? '', is_closed: !open_ids.has(id) }))
  })

const prioritiesOf = (api: Api): Promise<readonly PriorityRow[]> =>
  kept(api, 'priorities', () => api.list(PRIORITY, '/Priority'))

/** Types of tickets. [SW] */
const typesOf = (api: Api): Promise<readonly Named[]> =>
  kept(api, 'types', () => api.list(NAMED, '/TicketType'))

export const teamsOf = (api: Api): Promise<readonly Named[]> =>
  kept(api, 'teams', () => api.list(NAMED, '/Team'))

/** What tickets are read with. */
export async function choicesOf(api: Api): Promise<Choices> {
  const [statuses, priorities, types] = await Promise.all([statusesOf(api), prioritiesOf(api), typesOf(api)])
  return { statuses, priorities, types }
}
