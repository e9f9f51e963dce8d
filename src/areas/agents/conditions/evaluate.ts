/** Judges tickets and time entries of the PSA by the conditions of agents. */
import type { Psa, PsaTicket, PsaTimeEntry } from '../../../connectors/psa.ts'
import type { Row } from '../../../schema/models.ts'
import { ticketFacts, timeEntryFacts } from './rules/facts.ts'
import { fieldsIn, type Matching, meetsConditions } from './rules/matching.ts'

/** An agent as far as its conditions go, which are those of the kind of thing that it works on. */
export type ConditionalAgent = Pick<
  Row<'Agent'>,
  'entity_type' | 'ticket_conditions' | 'time_entry_conditions'
>

type ReadsOfNames = Pick<Psa, 'company' | 'contact' | 'technician'>
type Reads = ReadsOfNames & Pick<Psa, 'ticket' | 'listedTicket' | 'timeEntry'>

type Named = { name: string } | null

/** The name that the ticket tells, or that of what `read` finds, if the conditions ask for it at all. */
async function nameOf<Id>(
  wanted: boolean,
  id: Id | null,
  read: (id: Id) => Promise<Named>,
  told?: string,
): Promise<string | null> {
  if (!wanted || id === null) return null
  return told ?? (await read(id))?.name ?? null
}

/** Judges a ticket. The PSA is asked only for names that the conditions have. */
export async function evaluateTicket(
  psa: ReadsOfNames,
  conditions: unknown,
  ticket: PsaTicket,
  now: Date,
): Promise<Matching> {
  const fields = fieldsIn(conditions)
  const { names } = ticket
  const [company, contact, assignee] = await Promise.all([
    nameOf(fields.has('company'), ticket.psa_company_id, psa.company, names?.company),
    nameOf(fields.has('contact'), ticket.contact_id, psa.contact, names?.contact),
    nameOf(fields.has('assignee'), ticket.assignee_psa_id, psa.technician, names?.assignee),
  ])
  return meetsConditions(conditions, ticketFacts(ticket, { company, contact, assignee }, now))
}

/** Judges a time entry. Its board and company are those of its ticket. */
export async function evaluateTimeEntry(
  psa: Reads,
  conditions: unknown,
  entry: PsaTimeEntry,
): Promise<Matching> {
  const fields = fieldsIn(conditions)
  const of_ticket = fields.has('board') || fields.has('company')
  const [ticket, technician] = await Promise.all([
    of_ticket ? psa.listedTicket(entry.ticket_id) : null,
    nameOf(fields.has('technician'), entry.technician_psa_id, psa.technician),
  ])
  const company_id = ticket?.psa_company_id ?? null
  const company = await nameOf(fields.has('company'), company_id, psa.company, ticket?.names?.company)
  return meetsConditions(
    conditions,
    timeEntryFacts(entry, { board: ticket?.board ?? null, company, technician }),
  )
}

/** True if the agent has any condition on the things that it works on. */
export const hasConditions = ({
  entity_type,
  ticket_conditions,
  time_entry_conditions,
}: ConditionalAgent): boolean =>
  fieldsIn(entity_type === 'TICKET' ? ticket_conditions : time_entry_conditions).size > 0

// Contract silent: a closed ticket still meets conditions that name no status.
/** Judges the ticket or time entry as the PSA has it now; null if it has none of that id. */
export async function evaluateConditions(
  psa: Reads,
  agent: ConditionalAgent,
  entity_id: string,
  now: Date,
): Promise<Matching | null> {
  if (agent.entity_type === 'TICKET') {
    const has_texts = fieldsIn(agent.ticket_conditions).has('description')
    const ticket = await (has_texts ? psa.ticket(entity_id) : psa.listedTicket(entity_id))
    return ticket && (await evaluateTicket(psa, agent.ticket_conditions, ticket, now))
  }
  const entry = await psa.timeEntry(entity_id)
  return entry && (await evaluateTimeEntry(psa, agent.time_entry_conditions, entry))
}
