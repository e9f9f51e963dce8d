/** The adapters of the port to a PSA, each with the same things in it. */
import { expect, onTestFinished } from 'vitest'
import { noExchange } from '../../../src/areas/integrations/connection/exchange.ts'
import type { Adapter } from '../../../src/connectors/adapter.ts'
import { autotaskPsa } from '../../../src/connectors/autotask/adapter.ts'
import { connectwisePsa } from '../../../src/connectors/connectwise/adapter.ts'
import type { ConnectableSystem, SettingsOf } from '../../../src/connectors/fields.ts'
import { haloPsa } from '../../../src/connectors/halo/adapter.ts'
import { createVendorClient, type VendorClient } from '../../../src/connectors/http/client.ts'
import type { PortContext } from '../../../src/connectors/port.ts'
import type { Psa } from '../../../src/connectors/psa.ts'
import { seedAutotask, seedTickets as seedAutotaskTickets } from '../../doubles/autotask/seed.ts'
import { SETTINGS as AUTOTASK_SETTINGS, startAutotask } from '../../doubles/autotask/server.ts'
import { seedConnectwise, seedTickets as seedConnectwiseTickets } from '../../doubles/connectwise/seed.ts'
import { SETTINGS as CONNECTWISE_SETTINGS, startConnectwise } from '../../doubles/connectwise/server.ts'
import { seedHalo, seedTickets as seedHaloTickets } from '../../doubles/halo/seed.ts'
import { SETTINGS as HALO_SETTINGS, startHalo } from '../../doubles/halo/server.ts'
import type { Fault } from '../../doubles/vendor.ts'
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

interface Abilities {
  /** The system keeps the keys of writes: nothing of a key that is not kept is under way. */
  keep_keys: boolean
  /** A ticket can be on no board. */
  have_tickets_without_board: boolean
  have_time_without_technician: boolean
  send_messages_without_ticket: boolean
  search_descriptions: boolean
  /** Numbers and addresses of tickets are what a test writes. */
  take_numbers_and_addresses: boolean
  /** The side that wrote a note is told. */
  tell_authors: boolean
}

const EVERYTHING: Abilities = {
  keep_keys: true,
  have_tickets_without_board: true,
  have_time_without_technician: true,
  send_messages_without_ticket: true,
  search_descriptions: true,
  take_numbers_and_addresses: true,
  tell_authors: false,
}

/** A PSA with the companies a and b, the technicians 7 and 8, the contacts below, and no tickets. */
interface Fixture {
  psa: Psa
  /** The port of a caller who tries nothing twice. */
  first_try: Psa
  /** The requests that came to the system. */
  requests: readonly string[]
  /** The fault of each request from now on; the service's own PSA has none. */
  faulty: (fault: ((request: string) => Fault | undefined) | null) => void
  unsupported: ReadonlySet<keyof Psa>
  /** What the port leaves to the PSA. */
  can: Abilities
  addTickets: (tickets: Parameters<typeof addPsaTickets>[1]) => Promise<void>
  /** Adds notes that the contact reads: by the contact 13, by the technician 7, and by nobody who is told. */
  addNotes: (ticket_id: string) => Promise<void>
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

/** The texts of the notes, in the order of their authors. */
const TEXTS = ['Hers', 'His', 'Whose?']

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
    first_try: psaOfTenant(msp),
    requests: [],
    faulty: () => {},
    unsupported: new Set(['timeEntryChangePage'] as const),
    can: EVERYTHING,
    addTickets: (tickets) => addPsaTickets(msp, tickets),
    async addNotes(ticket_id) {
      const { tenant_id, environment } = msp
      const note = { tenant_id, environment, ticket_id, is_internal: false, created_at: clock.now() }
      await msp.database.prisma.psaNote.createMany({
        data: ['Bo again', 'Gus', ''].map((author_name, at) => ({
          ...note,
          note_id: `n${at}`,
          author_name,
          text: TEXTS[at] ?? '',
        })),
      })
    },
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

const COMPANY_IDS: Record<string, string> = { psa_a: '2', psa_b: '3', psa_k: '4' }

/** The value with the ids of companies replaced by others. */
function replaced(value: unknown, ids: Record<string, string>, is_id: boolean): unknown {
  if (typeof value === 'string') return is_id ? (ids[value] ?? value) : value
  if (Array.isArray(value)) return value.map((item) => replaced(item, ids, is_id))
  if (value === null || typeof value !== 'object' || value instanceof Date) return value
  const entries = Object.entries(value).map(([name, item]) => [
    name,
    replaced(item, ids, name === 'psa_company_id'),
  ])
  return Object.fromEntries(entries)
}

/** The port with the suite's ids of companies for those of a system that counts them. */
function withCompanyIds(psa: Psa): Psa {
  const back = Object.fromEntries(Object.entries(COMPANY_IDS).map(([ours, theirs]) => [theirs, ours]))
  const calls = Object.entries(psa).map(
    ([name, call]: [string, (...args: unknown[]) => Promise<unknown>]) => [
      name,
      async (...args: unknown[]) =>
        replaced(await call(...args.map((arg) => replaced(arg, COMPANY_IDS, true))), back, false),
    ],
  )
  return Object.fromEntries(calls) as Psa
}

interface Double {
  url: string
  chance: { fault: (() => Fault | undefined) | null }
  violations: readonly string[]
  requests: readonly string[]
  close: () => Promise<unknown>
}

/** The port to a double, which is closed after the test and has seen nothing that its documents do not have. */
function connected<Of extends ConnectableSystem>(
  double: Double,
  adapterOf: (client: VendorClient) => Adapter<Psa, Of>,
  settings: SettingsOf<Of>,
  things: Pick<Fixture, 'addTickets' | 'addNotes' | 'state'>,
  can: Partial<Abilities> = {},
): Fixture {
  const client = createVendorClient({ allow_private_addresses: true, pause_ms: 1, second_ms: 1 })
  onTestFinished(async () => {
    await client.close()
    await double.close()
    expect(double.violations).toEqual([])
  })
  const connection = {
    connection_id: 'c1',
    tenant_id: 't1',
    environment: 'test',
    settings,
    exchange: noExchange,
  }
  const adapter = adapterOf(client)
  const open = (is_first_try = false) =>
    withCompanyIds(adapter.open(connection, { now: clock.now(), is_first_try } as PortContext))
  return {
    psa: open(),
    first_try: open(true),
    requests: double.requests,
    faulty(fault) {
      double.chance.fault = fault && (() => fault(double.requests.at(-1) ?? ''))
    },
    unsupported: adapter.unsupported,
    can: {
      keep_keys: false,
      have_tickets_without_board: false,
      have_time_without_technician: false,
      send_messages_without_ticket: false,
      search_descriptions: false,
      take_numbers_and_addresses: false,
      tell_authors: true,
      ...can,
    },
    ...things,
  }
}

async function connectwise(): Promise<Fixture> {
  const double = await startConnectwise({ now: clock.now })
  seedConnectwise(double, CONTACTS, COMPANY_IDS)
  return connected(
    double,
    connectwisePsa,
    { ...CONNECTWISE_SETTINGS, site: double.url },
    {
      addTickets: async (tickets) => seedConnectwiseTickets(double, tickets, COMPANY_IDS),
      async addNotes(ticket_id) {
        const authors = [{ contact: { id: 13, name: 'Bo again' } }, { member: { id: 7, name: 'Gus' } }, {}]
        for (const [at, author] of authors.entries())
          double.addNote(
            { id: Number(ticket_id) },
            { text: TEXTS[at], detailDescriptionFlag: true, ...author },
          )
      },
      async state() {
        const writes = double.requests.filter((request) => !request.startsWith('GET ')).length
        const paths = ['/service/tickets', '/time/entries', '/service/tickets/1/notes']
        return { writes, things: paths.reduce((sum, path) => sum + double.rowsOf(path).length, 0) }
      },
    },
  )
}

async function autotask(): Promise<Fixture> {
  const double = await startAutotask({ now: clock.now })
  seedAutotask(double, CONTACTS, COMPANY_IDS)
  return connected(
    double,
    autotaskPsa,
    { ...AUTOTASK_SETTINGS, site: double.url },
    {
      addTickets: async (tickets) => seedAutotaskTickets(double, tickets, COMPANY_IDS),
      async addNotes(ticket_id) {
        const authors = [{ createdByContactID: 13 }, { creatorResourceID: 7 }, {}]
        const note = { ticketID: Number(ticket_id), publish: 1, createDateTime: clock.now().toISOString() }
        double.add(
          'TicketNotes',
          authors.map((author, at) => ({ ...note, id: 200_001 + at, description: TEXTS[at], ...author })),
        )
      },
      async state() {
        const writes = double.requests.filter((request) => !/^GET |\/query$/.test(request)).length
        const things = ['Tickets', 'TimeEntries', 'TicketNotes'].flatMap((entity) => double.rowsOf(entity))
        return { writes, things: things.length }
      },
    },
    { search_descriptions: true },
  )
}

async function halo(): Promise<Fixture> {
  const double = await startHalo({ now: clock.now })
  seedHalo(double, CONTACTS, COMPANY_IDS)
  return connected(
    double,
    haloPsa,
    { ...HALO_SETTINGS, site: double.url },
    {
      addTickets: async (tickets) => seedHaloTickets(double, tickets, COMPANY_IDS),
      async addNotes(ticket_id) {
        const authors = [{ actionby_user_id: 13, who_agentid: 0 }, { who_agentid: 7 }, {}]
        const note = {
          ticket_id: Number(ticket_id),
          hiddenfromuser: false,
          datetime: double.stamp(clock.now()),
        }
        double.add(
          '/Actions',
          authors.map((author, at) => ({ ...note, id: 101 + at, note: TEXTS[at], ...author })),
        )
      },
      async state() {
        const [tickets, actions] = [double.rowsOf('/Tickets'), double.rowsOf('/Actions')]
        const texts = [...tickets.map((row) => row.third_party_id_string), ...actions.map(({ note }) => note)]
        const writes = texts.filter((text) => String(text ?? '').includes('asp:')).length
        return { writes, things: tickets.length + actions.length }
      },
    },
  )
}

export const ADAPTERS: [name: string, setUp: () => Promise<Fixture>][] = [
  ['local', local],
  ['ConnectWise', connectwise],
  ['Autotask', autotask],
  ['HaloPSA', halo],
]

const SECOND_MS = 1000

/** Some PSAs keep seconds only. */
export const ago = (count: number): Date =>
  new Date(Math.floor((clock.now().getTime() - days(count)) / SECOND_MS) * SECOND_MS)

export const idsOf = (tickets: readonly { ticket_id: string }[]) => tickets.map(({ ticket_id }) => ticket_id)
