/** The fields of tickets that are written to Autotask PSA. Sources as in `api.ts`. */

import { flag, partOf } from '../http/forms.ts'
import { markersIn, withMarker } from '../markers.ts'
import { need, PortRefusal } from '../port.ts'
import type { Psa } from '../psa.ts'
import { type Choice, IDENTIFIED, id } from './answers.ts'
import { type Api, SYSTEM } from './api.ts'
import { CONTACT } from './people.ts'
import { eq, idOf } from './query.ts'
import type { TicketRow } from './rows.ts'
import { statusesIn } from './tickets.ts'

type Draft = Parameters<Psa['createTicket']>[0]
type Changes = Parameters<Psa['updateTicket']>[1]
export type Fields = Record<string, string | number | null>

/** [HP TicketsEntity; unverified for `externalID`] */
const MAX_TITLE = 255
const MAX_EXTERNAL_ID = 50

const DAY_MS = 86_400_000

const ROLE = IDENTIFIED.extend({ roleID: id, isDefault: flag })

/**
 * Technicians are assigned with one of their roles. They book their time with the role of the ticket, unless the PSA lets them
 * choose. [HP TicketsEntity, TimeEntriesEntity]
 */
export async function assignment(
  api: Api,
  psa_id: number,
  wanted: number | null = null,
): Promise<{ resource: number; role: number }> {
  const { id: resource } = need(await api.get(IDENTIFIED, 'Resources', psa_id), 'TECHNICIAN_NOT_FOUND')
  const roles = await api.all(ROLE, 'ResourceServiceDeskRoles', [
    eq('resourceID', resource),
    eq('isActive', true),
  ])
  const role =
    roles.find(({ roleID }) => roleID === wanted) ?? roles.find(({ isDefault }) => isDefault) ?? roles[0]
  return { resource, role: need(role, 'NOT_SUPPORTED').roleID }
}

async function checkContact(api: Api, contact_id: string, company_id: number): Promise<number> {
  const contact = need(idOf(contact_id), 'CONTACT_NOT_FOUND')
  const row = await api.get(CONTACT, 'Contacts', contact)
  if (row?.companyID !== company_id) throw new PortRefusal('CONTACT_NOT_FOUND')
  return contact
}

const inOrder = (choices: readonly Choice[] = []): Choice[] =>
  choices
    .filter(({ is_active }) => is_active)
    .sort((one, other) => one.order - other.order || one.value - other.value)

/** The choice of that name. A ticket cannot be without some: null is refused. */
const choiceOf = (choices: readonly Choice[] | undefined, name: string | null): number =>
  need(
    inOrder(choices).find(({ label }) => label === name),
    'NOT_SUPPORTED',
  ).value

/** The choice of a new ticket: the one that the PSA gives by itself, and otherwise one of its list. */
const usual = (choices: readonly Choice[] | undefined, place: 0 | -1): number => {
  const list = inOrder(choices)
  return need(list.find(({ is_default }) => is_default) ?? list.at(place), 'NOT_SUPPORTED').value
}

/**
 * The marker field of a ticket. The first marker is of the creation: it is empty if another made the ticket. null: the field
 * has something else.
 */
export function markedWith({ externalID }: TicketRow, marker: string): string | null {
  const markers = markersIn(externalID)
  if (markers === null) return null
  return withMarker(markers.length > 0 ? markers : [''], marker, MAX_EXTERNAL_ID)
}

export async function newTicket(api: Api, draft: Draft, marker: string, now: Date): Promise<Fields> {
  const { psa_company_id, contact_id, title, description, board } = draft
  const company = need(idOf(psa_company_id), 'COMPANY_NOT_FOUND')
  need(await api.get(IDENTIFIED, 'Companies', company), 'COMPANY_NOT_FOUND')
  const contact = contact_id === null ? null : await checkContact(api, contact_id, company)
  const { status, priority, queueID } = await api.choices('Tickets')
  return {
    companyID: company,
    ...(contact !== null && { contactID: contact }),
    title: title.slice(0, MAX_TITLE),
    description,
    status: need(statusesIn(status)[0], 'STATUS_NOT_FOUND').value,
    // Contract silent: a draft names no priority and no time, which a ticket needs: it has the least urgent one, is due a day
    // later, and is on the first board if none is named.
    priority: usual(priority, -1),
    dueDateTime: new Date(now.getTime() + DAY_MS).toISOString(),
    queueID: board === null ? usual(queueID, 0) : choiceOf(queueID, board),
    externalID: withMarker([], marker, MAX_EXTERNAL_ID),
  }
}

export async function changedFields(api: Api, row: TicketRow, changes: Changes): Promise<Fields> {
  const { title, status, priority, board, type, category, contact_id, assignee_psa_id, resolution } = changes
  const choices = await api.choices('Tickets')
  const fields: Fields = {}
  if (title !== undefined) fields.title = title.slice(0, MAX_TITLE)
  if (status !== undefined) {
    const found = statusesIn(choices.status).find(({ label }) => label === status)
    fields.status = need(found, 'STATUS_NOT_FOUND').value
  }
  if (priority !== undefined) fields.priority = choiceOf(choices.priority, priority)
  if (board !== undefined) fields.queueID = choiceOf(choices.queueID, board)
  if (type !== undefined) fields.ticketType = type === null ? null : choiceOf(choices.ticketType, type)
  if (category !== undefined) {
    fields.issueType = category === null ? null : choiceOf(choices.issueType, category)
    // A sub-issue belongs to an issue. [DA]
    if (fields.issueType !== row.issueType) fields.subIssueType = null
  }
  if (contact_id !== undefined)
    fields.contactID =
      contact_id === null
        ? null
        : await checkContact(api, contact_id, partOf(SYSTEM, 'companyID', row.companyID))
  if (assignee_psa_id === null) {
    // A ticket is in a queue, or assigned. [HP TicketsEntity]
    need(fields.queueID ?? row.queueID, 'NOT_SUPPORTED')
    fields.assignedResourceID = null
    fields.assignedResourceRoleID = null
  } else if (assignee_psa_id !== undefined) {
    const { resource, role } = await assignment(api, assignee_psa_id)
    fields.assignedResourceID = resource
    fields.assignedResourceRoleID = role
  }
  if (resolution !== undefined) fields.resolution = resolution
  return fields
}
