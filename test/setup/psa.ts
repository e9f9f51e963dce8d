/** A tenant's local PSA with what tests put into it. */
import { localPsa } from '../../src/connectors/local/psa.ts'
import type { PortContext } from '../../src/connectors/port.ts'
import type { Psa, PsaContact, PsaTechnician, PsaTicket } from '../../src/connectors/psa.ts'
import { Stopwatch } from '../../src/lib/stopwatch.ts'
import { clock } from './app.ts'
import type { Msp } from './world.ts'

const tenancyOf = ({ tenant_id, environment }: Msp) => ({ tenant_id, environment })

/** The context of a call for the tenant. */
export const portContext = (msp: Msp): PortContext => ({
  viewer: tenancyOf(msp),
  services: { database: msp.database },
  transaction: null,
  db_time: new Stopwatch(),
  now: clock.now(),
})

/** The tenant's PSA without the budgeted client. */
export const psaOfTenant = (msp: Msp): Psa => localPsa(portContext(msp))

export async function addPsaTechnicians(
  msp: Msp,
  technicians: readonly (Partial<PsaTechnician> & { psa_id: number })[],
): Promise<void> {
  await msp.database.prisma.psaTechnician.createMany({
    data: technicians.map((technician) => ({
      ...tenancyOf(msp),
      name: `Technician ${technician.psa_id}`,
      ...technician,
    })),
  })
}

export async function addPsaContacts(
  msp: Msp,
  contacts: readonly (Partial<PsaContact> & Pick<PsaContact, 'contact_id' | 'psa_company_id'>)[],
): Promise<void> {
  await msp.database.prisma.psaContact.createMany({
    data: contacts.map((contact) => ({
      ...tenancyOf(msp),
      name: `Contact ${contact.contact_id}`,
      ...contact,
    })),
  })
}

/** Tickets of the status New, or Closed if they are closed. */
export async function addPsaTickets(
  msp: Msp,
  tickets: readonly (Partial<PsaTicket> & { ticket_id: string })[],
): Promise<void> {
  const now = clock.now()
  await msp.database.prisma.psaTicket.createMany({
    data: tickets.map((ticket) => ({
      ...tenancyOf(msp),
      number: `#${ticket.ticket_id}`,
      title: `Ticket ${ticket.ticket_id}`,
      status: ticket.closed_at ? 'Closed' : 'New',
      created_at: now,
      updated_at: now,
      ...ticket,
    })),
  })
}

export async function addPsaAgreements(
  msp: Msp,
  psa_company_id: string,
  names: readonly string[],
): Promise<void> {
  const data = names.map((name) => ({ ...tenancyOf(msp), psa_company_id, name }))
  await msp.database.prisma.psaAgreement.createMany({ data })
}

type Attributes = Readonly<Record<string, number>>

/** Options of a field, by their ids, and the choices of companies. */
export async function addPsaAttributes(
  msp: Msp,
  field_name: string,
  names: Readonly<Record<number, string>>,
  chosen: Attributes = {},
): Promise<void> {
  const { psaCompanyOption, psaCompanyAttribute } = msp.database.prisma
  await psaCompanyOption.createMany({
    data: Object.entries(names).map(([id, name]) => ({
      ...tenancyOf(msp),
      field_name,
      option_id: Number(id),
      name,
    })),
  })
  await psaCompanyAttribute.createMany({
    data: Object.entries(chosen).map(([psa_company_id, option_id]) => ({
      ...tenancyOf(msp),
      psa_company_id,
      field_name,
      option_id,
    })),
  })
}
