/** The things of the port's suite, as HaloPSA has them. */
import type { PsaContact, PsaTicket } from '../../../src/connectors/psa.ts'
import type { Row } from '../vendor.ts'
import type { Halo } from './server.ts'

type Contact = Partial<PsaContact> & Pick<PsaContact, 'contact_id' | 'psa_company_id'>
type Ticket = Partial<PsaTicket> & { ticket_id: string }
type Ids = Readonly<Record<string, string>>

export function seedHalo(double: Halo, contacts: readonly Contact[], ids: Ids): void {
  double.add('/Client', [
    {
      id: 2,
      name: 'alpha',
      inactive: true,
      customer_relationship: [{ id: 2, name: 'Prospect' }],
      toplevel_id: 11,
      toplevel_name: 'North',
    },
    {
      id: 3,
      name: 'Beta',
      inactive: false,
      customer_relationship: [{ id: 1, name: 'Customer' }],
      toplevel_id: 0,
      website: 'https://www.beta.example/start',
    },
  ])
  double.add('/ClientContract', [
    { id: 1, client_id: 3, ref: 'Projects' },
    { id: 2, client_id: 3, ref: 'Managed services' },
    { id: 3, client_id: 3, ref: 'Ended', inactive: true },
  ])
  double.add('/Agent', [
    { id: 7, name: 'Gus', email: 'gus@msp.example' },
    { id: 8, name: 'Hal', isdisabled: true },
  ])
  double.add(
    '/Users',
    contacts.map(({ contact_id, psa_company_id, name, email, phone, title, is_active = true }) => ({
      id: Number(contact_id),
      name,
      client_id: Number(ids[psa_company_id]),
      emailaddress: email ?? '',
      phonenumber: phone ?? '',
      title: title ?? '',
      inactive: !is_active,
    })),
  )
}

const STATUSES: Readonly<Record<string, number>> = { New: 1, 'In progress': 2, Closed: 9 }
const TYPES: Readonly<Record<string, number>> = { Incident: 4 }

export function seedTickets(double: Halo, tickets: readonly Ticket[], ids: Ids): void {
  double.add(
    '/Tickets',
    tickets.map((ticket): Row => {
      const { closed_at, priority, type } = ticket
      return {
        id: Number(ticket.ticket_id),
        summary: ticket.title ?? `Ticket ${ticket.ticket_id}`,
        details: ticket.description ?? '',
        status_id: STATUSES[ticket.status ?? (closed_at ? 'Closed' : 'New')],
        sla_id: 1,
        priority_id: priority ? Number(priority.slice(1)) : 0,
        tickettype_id: TYPES[type ?? ''] ?? 3,
        category_1: ticket.category ?? '',
        team: ticket.board ?? 'Service desk',
        client_id: Number(ids[ticket.psa_company_id ?? 'psa_k']),
        user_id: Number(ticket.contact_id ?? 0),
        agent_id: ticket.assignee_psa_id ?? 1,
        dateoccurred: double.stamp(ticket.created_at ?? undefined),
        dateclosed: closed_at ? double.stamp(closed_at) : '1900-01-01T00:00:00',
        last_update: double.stamp(ticket.updated_at ?? undefined),
      }
    }),
  )
}
