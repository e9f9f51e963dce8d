/** The adapters of the port to a PSA, each with the same things in it. */
import type { Psa } from '../../../src/connectors/psa.ts'
import { clock } from '../../setup/app.ts'
import { addCompanies } from '../../setup/companies.ts'
import {
  addPsaAgreements,
  addPsaAttributes,
  addPsaContacts,
  addPsaTechnicians,
  addPsaTickets,
  psaOfTenant,
} from '../../setup/psa.ts'
import { days, world } from '../../setup/world.ts'

/** A PSA with the companies a and b, the technicians 7 and 8, the contacts below, and no tickets. */
interface Fixture {
  psa: Psa
  addTickets: (tickets: Parameters<typeof addPsaTickets>[1]) => Promise<void>
  /** The number of writes that were made, and of tickets, notes, time entries and messages. */
  state: () => Promise<{ writes: number; things: number }>
}

const CONTACTS = [
  { contact_id: '11', psa_company_id: 'psa_a', name: 'Ada', email: ' Ada.Lovelace@A.example ', title: 'CTO' },
  { contact_id: '12', psa_company_id: 'psa_a', name: 'Bo', email: 'bo@a.example', is_active: false },
  { contact_id: '13', psa_company_id: 'psa_a', name: 'Bo again', email: 'BO@a.example', phone: '+44 1' },
  { contact_id: '14', psa_company_id: 'psa_a', name: 'Bo too', email: 'bo@a.example' },
  { contact_id: '15', psa_company_id: 'psa_a', name: 'No address' },
  {
    contact_id: '31',
    psa_company_id: 'psa_k',
    name: 'Kelvin',
    email: '\u212aim@A.example',
    is_active: false,
  },
  {
    contact_id: '32',
    psa_company_id: 'psa_k',
    name: 'Kim',
    email: 'Kim@b\u00fccher.example',
    is_active: false,
  },
  { contact_id: '21', psa_company_id: 'psa_b', name: 'Ada of B', email: 'ada.lovelace@a.example' },
]

async function local(): Promise<Fixture> {
  const msp = await world()
  await addCompanies(msp, [
    { id: 'b', name: 'Beta', domains: ['beta.example'] },
    { id: 'a', name: 'alpha', status: 'INACTIVE' },
  ])
  await addPsaAttributes(msp, 'type', { 1: 'Customer', 2: 'Prospect' }, { psa_a: 2, psa_b: 1 })
  await addPsaAttributes(msp, 'territory', { 11: 'North' }, { psa_a: 11 })
  await addPsaAgreements(msp, 'psa_b', ['Projects', 'Managed services'])
  await addPsaTechnicians(msp, [{ psa_id: 7, name: 'Gus', email: 'gus@msp.example' }, { psa_id: 8 }])
  await addPsaContacts(msp, CONTACTS)
  return {
    psa: psaOfTenant(msp),
    addTickets: (tickets) => addPsaTickets(msp, tickets),
    async state() {
      const { psaWrite, psaTicket, psaNote, psaTimeEntry, psaMessage } = msp.database.prisma
      const where = { tenant_id: msp.tenant_id }
      const counts = [psaTicket.count({ where }), psaNote.count({ where }), psaTimeEntry.count({ where })]
      const things = await Promise.all([...counts, psaMessage.count({ where })])
      return {
        writes: await psaWrite.count({ where }),
        things: things.reduce((sum, count) => sum + count, 0),
      }
    },
  }
}

export const ADAPTERS: [name: string, setUp: () => Promise<Fixture>][] = [['local', local]]

export const ago = (count: number): Date => new Date(clock.now().getTime() - days(count))

export const idsOf = (tickets: readonly { ticket_id: string }[]) => tickets.map(({ ticket_id }) => ticket_id)
