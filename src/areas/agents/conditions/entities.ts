/** The tickets and time entries that an occurrence of a schedule starts an agent on. */
import {
  MAX_TICKETS,
  MAX_TIME_ENTRIES,
  type Psa,
  type PsaTicket,
  type PsaTimeEntry,
} from '../../../connectors/psa.ts'
import type { AgentRow } from '../agent.ts'
import { evaluateTicket, evaluateTimeEntry } from './evaluate.ts'
import type { Matching } from './rules/matching.ts'

export interface Entity {
  entity_id: string | null
  entity_number: string | null
  psa_company_id: string | null
}

/** The time between two occurrences. */
interface Occurrence {
  since: Date
  occurrence_at: Date
}

/** The executions that one occurrence starts. */
// Contract silent: an occurrence takes at most 200 tickets, of those that meet the conditions the ones that are unchanged
// for longest; what is left is there for the next one.
const MAX_STARTS = 200

/** Pages of tickets or time entries that are looked through at most. */
const MAX_PAGES = 100

/** The candidates that are judged at once. */
const JUDGED_AT_ONCE = 10

async function* openTickets(psa: Psa): AsyncGenerator<readonly PsaTicket[]> {
  let last: PsaTicket | null = null
  for (let page = 0; page < MAX_PAGES; page++) {
    const tickets: readonly PsaTicket[] = await psa.openTickets(last)
    yield tickets
    last = tickets.at(-1) ?? null
    if (tickets.length < MAX_TICKETS) return
  }
}

// Contract silent: a time entry is recent if it was made since the occurrence before, so that an agent gets it once.
async function* newTimeEntries(
  psa: Psa,
  { since, occurrence_at }: Occurrence,
): AsyncGenerator<readonly PsaTimeEntry[]> {
  // Those of the very instant belong to the occurrence before.
  let last = { created_at: new Date(since.getTime() + 1), time_entry_id: '' }
  for (let page = 0; page < MAX_PAGES; page++) {
    const entries: readonly PsaTimeEntry[] = await psa.timeEntriesAfter(last)
    yield entries.filter(({ created_at }) => created_at <= occurrence_at)
    const end = entries.at(-1)
    if (!end || end.created_at > occurrence_at || entries.length < MAX_TIME_ENTRIES) return
    last = end
  }
}

/** The candidates that meet the conditions, and that the agent is not at work on. */
async function choose<Candidate>(
  pages: AsyncIterable<readonly Candidate[]>,
  entityOf: (candidate: Candidate) => Entity & { entity_id: string },
  judge: (candidate: Candidate) => Promise<Matching>,
  live: ReadonlySet<string>,
): Promise<Entity[]> {
  const seen = new Set(live)
  const chosen: Entity[] = []
  for await (const page of pages) {
    const candidates = page.filter((candidate) => !seen.has(entityOf(candidate).entity_id))
    for (let index = 0; index < candidates.length; index += JUDGED_AT_ONCE) {
      const some = candidates.slice(index, index + JUDGED_AT_ONCE)
      const matchings = await Promise.all(some.map(judge))
      chosen.push(...some.filter((_, at) => matchings[at]?.met).map(entityOf))
      if (chosen.length >= MAX_STARTS) return chosen.slice(0, MAX_STARTS)
    }
    // A ticket that changes while it is looked for comes again.
    for (const candidate of page) seen.add(entityOf(candidate).entity_id)
  }
  return chosen
}

/** The tickets or time entries that the occurrence starts the agent on; one start without any for other agents. */
export async function entitiesOf(
  psa: Psa,
  agent: AgentRow,
  occurrence: Occurrence,
  live: ReadonlySet<string>,
  now: Date,
): Promise<Entity[]> {
  const { entity_type, ticket_conditions, time_entry_conditions } = agent
  if (entity_type === 'NONE') return [{ entity_id: null, entity_number: null, psa_company_id: null }]
  if (entity_type === 'TICKET')
    return await choose(
      openTickets(psa),
      ({ ticket_id, number, psa_company_id }) => ({
        entity_id: ticket_id,
        entity_number: number,
        psa_company_id,
      }),
      (ticket) => evaluateTicket(psa, ticket_conditions, ticket, now),
      live,
    )
  return await choose(
    newTimeEntries(psa, occurrence),
    ({ time_entry_id, psa_company_id }) => ({
      entity_id: time_entry_id,
      entity_number: null,
      psa_company_id,
    }),
    (entry) => evaluateTimeEntry(psa, time_entry_conditions, entry),
    live,
  )
}
