/** Tickets as HaloPSA answers with them. Sources as in `api.ts`. */
import { z } from 'zod'
import { amount, count, flag, reference, text } from '../http/forms.ts'
import { markersIn } from '../markers.ts'
import type { PsaTicket } from '../psa.ts'
import { type ActionRow, RESOLUTION, signedOf } from './actions.ts'
import { type Api, instant } from './api.ts'
import type { Choices } from './choices.ts'
import { UNASSIGNED } from './people.ts'

/** [SW: Faults, Faults_List] The names are those of [MC]: whether they are always there is unverified. */
export const TICKET = z.object({
  id: count,
  summary: text,
  details: text,
  status_id: amount,
  priority_id: amount,
  sla_id: amount,
  tickettype_id: amount,
  category_1: text,
  team: text,
  client_id: reference,
  client_name: text,
  user_id: amount,
  user_name: text,
  agent_id: reference,
  dateoccurred: text,
  dateclosed: text,
  /** Answers to POST name it otherwise than those to GET. [DJ] */
  last_update: text,
  lastupdate: text,
  closure_note: text,
  merged_into_id: amount,
  third_party_id_string: text,
  web_url: text,
  deleted: flag,
})

export type TicketRow = z.infer<typeof TICKET>

const idText = (id: number | null | undefined): string | null => (id && id > 0 ? String(id) : null)

export const updatedOf = (row: TicketRow): Date =>
  instant(row.last_update ?? row.lastupdate) ?? instant(row.dateoccurred) ?? new Date(0)

/** The resolution is the note with which the ticket was closed, or one that says that it is. */
function resolutionOf({ closure_note }: TicketRow, actions: readonly ActionRow[]): string | null {
  const written = actions
    .map(signedOf)
    .findLast(({ text, marker }) => marker !== null && text.startsWith(RESOLUTION))
  return written?.text.slice(RESOLUTION.length) ?? (closure_note || null)
}

/** The page of a ticket for people, if no answer names it. Unverified. */
export function urlOf({ site }: Api, id: number): string {
  const people = new URL('/tickets', site)
  people.searchParams.set('id', String(id))
  return people.href
}

export function ticketOf(
  api: Api,
  row: TicketRow,
  { statuses, priorities, types }: Choices,
  actions: readonly ActionRow[] = [],
): PsaTicket {
  const status = statuses.find(({ id }) => id === row.status_id)
  const priority = priorities.find(
    ({ priorityid, slaid }) => priorityid === row.priority_id && (slaid ?? row.sla_id) === row.sla_id,
  )
  const updated_at = updatedOf(row)
  const [made_by] = markersIn(row.third_party_id_string) ?? []
  return {
    ticket_id: String(row.id),
    number: String(row.id),
    title: row.summary ?? '',
    description: row.details || null,
    status: status?.name ?? '',
    priority: priority?.name ?? null,
    board: row.team || null,
    type: types.find(({ id }) => id === row.tickettype_id)?.name ?? null,
    category: row.category_1 || null,
    psa_company_id: idText(row.client_id),
    contact_id: idText(row.user_id),
    assignee_psa_id: row.agent_id && row.agent_id > UNASSIGNED ? row.agent_id : null,
    url: row.web_url || urlOf(api, row.id),
    created_at: instant(row.dateoccurred) ?? new Date(0),
    updated_at,
    closed_at: status?.is_closed ? (instant(row.dateclosed) ?? updated_at) : null,
    resolution: resolutionOf(row, actions),
    merged_into_ticket_id: idText(row.merged_into_id),
    names: { company: row.client_name || undefined, contact: row.user_name || undefined },
    ...(made_by && { made_by_key: made_by }),
  }
}
