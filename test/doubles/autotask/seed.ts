/** The things of the port's suite, as Autotask PSA has them. */
import type { PsaContact, PsaTicket } from '../../../src/connectors/psa.ts'
import { PICKLISTS } from './entities.ts'
import type { Row } from './query.ts'
import type { Autotask } from './server.ts'

type Contact = Partial<PsaContact> & Pick<PsaContact, 'contact_id' | 'psa_company_id'>
type Ticket = Partial<PsaTicket> & { ticket_id: string }
type Ids = Readonly<Record<string, string>>

/** Some times have no zone: they are UTC too. */
const bare = (date: Date): string => date.toISOString().replace('Z', '')

export function seedAutotask(double: Autotask, contacts: readonly Contact[], ids: Ids): void {
  const changed = { lastTrackedModifiedDateTime: bare(new Date()) }
  double.add('Companies', [
    {
      ...changed,
      id: 2,
      companyName: 'alpha',
      companyType: 3,
      territoryID: 11,
      isActive: false,
      webAddress: '',
    },
    {
      ...changed,
      id: 3,
      companyName: 'Beta',
      companyType: 1,
      isActive: true,
      webAddress: 'www.beta.example/start',
    },
  ])
  double.add('Contracts', [
    { id: 1, companyID: 3, contractName: 'Projects', status: 1 },
    { id: 2, companyID: 3, contractName: 'Managed services', status: 1 },
    { id: 3, companyID: 3, contractName: 'Ended', status: 0 },
    { id: 4, companyID: 4, contractName: 'Of another', status: 1 },
  ])
  double.add('Resources', [
    { id: 7, firstName: 'Gus', lastName: '', email: 'gus@msp.example', isActive: true },
    { id: 8, firstName: 'Hal', isActive: true },
  ])
  double.add('ResourceServiceDeskRoles', [
    { id: 1, resourceID: 7, roleID: 70, isDefault: false, isActive: true },
    { id: 2, resourceID: 7, roleID: 71, isDefault: true, isActive: true },
    { id: 3, resourceID: 8, roleID: 80, isDefault: true, isActive: false },
    { id: 4, resourceID: 8, roleID: 81, isDefault: false, isActive: true },
  ])
  double.add(
    'Contacts',
    contacts.map(({ contact_id, psa_company_id, name = '', email, phone, title, is_active = true }) => {
      const [firstName, ...rest] = name.split(' ')
      return {
        id: Number(contact_id),
        companyID: Number(ids[psa_company_id]),
        firstName,
        lastName: rest.join(' '),
        emailAddress: email ?? null,
        phone: phone ?? null,
        title: title ?? null,
        isActive: is_active ? 1 : 0,
        lastModifiedDate: bare(new Date()),
      }
    }),
  )
}

/** The number of a choice by its label. */
function choice(field: string, label: string | null | undefined): number | null {
  const list = PICKLISTS.Tickets?.find(({ name }) => name === field)?.picklistValues as Row[]
  const found = list.find((one) => one.label === label)
  return found ? Number(found.value) : null
}

export function seedTickets(double: Autotask, tickets: readonly Ticket[], ids: Ids): void {
  double.add(
    'Tickets',
    tickets.map((ticket) => {
      const { ticket_id, closed_at, created_at = new Date(), assignee_psa_id, contact_id } = ticket
      return {
        id: Number(ticket_id),
        ticketNumber: `T20261101.${ticket_id.padStart(4, '0')}`,
        title: ticket.title ?? `Ticket ${ticket_id}`,
        description: ticket.description ?? null,
        resolution: ticket.resolution ?? null,
        companyID: Number(ids[ticket.psa_company_id ?? 'psa_k']),
        contactID: contact_id ? Number(contact_id) : null,
        status: choice('status', ticket.status ?? (closed_at ? 'Closed' : 'New')),
        priority: choice('priority', ticket.priority) ?? 1,
        queueID: choice('queueID', ticket.board ?? 'Service desk'),
        ticketType: choice('ticketType', ticket.type),
        issueType: choice('issueType', ticket.category),
        assignedResourceID: assignee_psa_id ?? null,
        assignedResourceRoleID: assignee_psa_id == null ? null : assignee_psa_id * 10 + 1,
        dueDateTime: created_at.toISOString(),
        createDate: created_at.toISOString(),
        lastActivityDate: (ticket.updated_at ?? new Date()).toISOString(),
        completedDate: closed_at?.toISOString() ?? null,
      }
    }),
  )
}
