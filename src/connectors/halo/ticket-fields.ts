/** The fields of a ticket in HaloPSA that a change writes. Sources as in `api.ts`. */

import { type Named, partOf } from '../http/forms.ts'
import { need } from '../port.ts'
import type { Psa } from '../psa.ts'
import { type Api, SYSTEM } from './api.ts'
import { choicesOf, teamsOf } from './choices.ts'
import { agentRow, checkContact, UNASSIGNED } from './people.ts'
import type { TicketRow } from './rows.ts'

type Changes = Parameters<Psa['updateTicket']>[1]
type Fields = Readonly<Record<string, string | number>>

const named = <Row extends { name: string | undefined }>(
  rows: readonly Row[],
  wanted: string | null,
): Row | undefined => rows.find(({ name }) => name === wanted)

/** A ticket cannot be without some of its fields: `null` is refused. */
async function choiceFields(api: Api, { sla_id }: TicketRow, changes: Changes): Promise<Fields> {
  const { status, priority, board, type } = changes
  const fields: Record<string, string | number> = {}
  const { statuses, priorities, types } = await choicesOf(api)
  if (status !== undefined) fields.status_id = need(named(statuses, status), 'STATUS_NOT_FOUND').id
  if (priority !== undefined) {
    // A priority counts within its SLA. [PD]
    const of = priorities.filter(({ slaid }) => slaid === undefined || slaid === sla_id)
    fields.priority_id = need(named(of, priority), 'NOT_SUPPORTED').priorityid
  }
  if (board !== undefined) {
    const team: Named = need(named(await teamsOf(api), board), 'NOT_SUPPORTED')
    fields.team_id = team.id
    fields.team = team.name ?? ''
  }
  if (type !== undefined) fields.tickettype_id = need(named(types, type), 'NOT_SUPPORTED').id
  return fields
}

/** Throws before anything is written if one of the changes cannot be made. */
export async function fieldsOf(api: Api, row: TicketRow, changes: Changes): Promise<Fields> {
  const { title, category, contact_id, assignee_psa_id } = changes
  const fields: Record<string, string | number> = { ...(await choiceFields(api, row, changes)) }
  if (title !== undefined) fields.summary = title
  // The levels of a category are one text. [SW] Unverified: what the vendor does with one that it does not know.
  if (category !== undefined) fields.category_1 = category ?? ''
  // Every ticket has a user. [SW]
  if (contact_id !== undefined) {
    const client_id = partOf(SYSTEM, 'client_id', row.client_id)
    fields.user_id = (await checkContact(api, need(contact_id, 'NOT_SUPPORTED'), client_id)).id
  }
  if (assignee_psa_id === null) fields.agent_id = UNASSIGNED
  else if (assignee_psa_id !== undefined)
    fields.agent_id = need(await agentRow(api, assignee_psa_id), 'TECHNICIAN_NOT_FOUND').id
  return fields
}
