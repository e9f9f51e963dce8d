/** The things of the port's suite, as ConnectWise PSA has them. */
import type { PsaContact, PsaTicket } from '../../../src/connectors/psa.ts'
import type { Row } from '../vendor.ts'
import type { Connectwise } from './server.ts'

type Contact = Partial<PsaContact> & Pick<PsaContact, 'contact_id' | 'psa_company_id'>
type Ticket = Partial<PsaTicket> & { ticket_id: string }
type Ids = Readonly<Record<string, string>>

const stamp = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`

const CHOICES: Record<string, Row> = {
  Customer: { id: 1, name: 'Customer' },
  Prospect: { id: 2, name: 'Prospect' },
}

export function seedConnectwise(double: Connectwise, contacts: readonly Contact[], ids: Ids): void {
  const _info = { dateEntered: stamp(new Date()), lastUpdated: stamp(new Date()) }
  double.add('/company/companies', [
    {
      id: 2,
      _info,
      name: 'alpha',
      deletedFlag: false,
      status: { id: 2, name: 'Inactive' },
      types: [CHOICES.Prospect],
      territory: { id: 11, name: 'North' },
    },
    {
      id: 3,
      _info,
      name: 'Beta',
      deletedFlag: false,
      status: { id: 1, name: 'Active' },
      types: [CHOICES.Customer],
      website: 'https://www.beta.example/start',
    },
    { id: 4, name: 'Gone', deletedFlag: true },
  ])
  const agreement = { cancelledFlag: false, company: { id: 3 } }
  double.add('/finance/agreements', [
    { ...agreement, id: 1, name: 'Projects' },
    { ...agreement, id: 2, name: 'Managed services' },
    { ...agreement, id: 3, name: 'Ended', cancelledFlag: true },
  ])
  double.add('/system/members', [
    { id: 7, firstName: 'Gus', officeEmail: 'gus@msp.example' },
    { id: 8, firstName: 'Hal' },
  ])
  double.add(
    '/company/contacts',
    contacts.map(({ contact_id, psa_company_id, name = '', email, phone, title, is_active = true }) => {
      const [firstName, ...rest] = name.split(' ')
      const item = (communicationType: string, value: string | null | undefined) =>
        value ? [{ communicationType, value, defaultFlag: true }] : []
      return {
        id: Number(contact_id),
        firstName,
        ...(rest.length > 0 && { lastName: rest.join(' ') }),
        company: { id: Number(ids[psa_company_id]) },
        ...(title && { title }),
        inactiveFlag: !is_active,
        communicationItems: [...item('Email', email), ...item('Phone', phone)],
      }
    }),
  )
}

const BOARDS = ['Service desk', 'Desk']
const PRIORITIES = ['P1', 'P2', 'P3']
const STATUSES = ['New', 'In progress', 'Closed']

/** A choice of a list that is counted from one. */
const choice = (names: readonly string[], name: string | null | undefined): Row | undefined =>
  name ? { id: names.indexOf(name) + 1, name } : undefined

export function seedTickets(double: Connectwise, tickets: readonly Ticket[], ids: Ids): void {
  for (const ticket of tickets) {
    const { ticket_id, title, closed_at, description, type, category, contact_id, assignee_psa_id } = ticket
    const board = choice(BOARDS, ticket.board ?? 'Service desk') as Row & { id: number }
    const status = choice(STATUSES, ticket.status ?? (closed_at ? 'Closed' : 'New')) as Row & { id: number }
    const created = ticket.created_at ?? new Date()
    const row: Row = {
      id: Number(ticket_id),
      summary: title ?? `Ticket ${ticket_id}`,
      board,
      status: { ...status, id: board.id * 100 + status.id },
      priority: choice(PRIORITIES, ticket.priority),
      ...(type && { type: { id: board.id * 10, name: type } }),
      ...(category && { subType: { id: board.id * 10 + 1, name: category } }),
      company: { id: Number(ids[ticket.psa_company_id ?? 'psa_k']) },
      ...(contact_id && { contact: { id: Number(contact_id) } }),
      ...(assignee_psa_id && { owner: { id: assignee_psa_id } }),
      closedFlag: Boolean(closed_at),
      ...(closed_at && { closedDate: stamp(closed_at) }),
    }
    double.add('/service/tickets', [row])
    if (description) double.addNote(row, { text: description, detailDescriptionFlag: true })
    row._info = { dateEntered: stamp(created), lastUpdated: stamp(ticket.updated_at ?? new Date()) }
  }
}
