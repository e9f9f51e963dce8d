/** Judges the entity of a callback by the conditions of agents. */
import type { Psa, PsaTicket, PsaTimeEntry } from '../../../connectors/psa.ts'
import { type AgentRow, evaluateTicket, evaluateTimeEntry } from '../../agents/index.ts'
import type { AgentFacts } from '../rules/decisions.ts'
import type { ReadTicket } from '../rules/version.ts'

/** Agents whose conditions are judged at once. */
const JUDGED_AT_ONCE = 10

interface Entity {
  ticket: Pick<ReadTicket<PsaTicket>, 'ticket'> | null
  time_entry: PsaTimeEntry | null
}

export interface Judged {
  agent: AgentRow
  matching: AgentFacts['matching']
}

const judge = async (
  psa: Psa,
  { ticket, time_entry }: Entity,
  agent: AgentRow,
  now: Date,
): Promise<AgentFacts['matching']> => {
  if (ticket) return await evaluateTicket(psa, agent.ticket_conditions, ticket.ticket, now)
  if (time_entry) return await evaluateTimeEntry(psa, agent.time_entry_conditions, time_entry)
  // Contract silent: what is gone meets the conditions of agents that have none.
  return { met: agent.time_entry_conditions === null, comparisons: [] }
}

/** The agents, each with what its conditions say of the entity. */
export async function judged(
  psa: Psa,
  entity: Entity,
  agents: readonly AgentRow[],
  now: Date,
): Promise<Judged[]> {
  const matchings: AgentFacts['matching'][] = []
  for (let index = 0; index < agents.length; index += JUDGED_AT_ONCE) {
    const some = agents.slice(index, index + JUDGED_AT_ONCE)
    matchings.push(...(await Promise.all(some.map((agent) => judge(psa, entity, agent, now)))))
  }
  return agents.map((agent, index) => ({ agent, matching: matchings[index] ?? null }))
}
