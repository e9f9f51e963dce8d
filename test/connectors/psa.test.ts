/** The promises of the port to a PSA, by which every adapter is tried. */
import { describe, expect, it } from 'vitest'
import { MAX_TICKETS, PSA_CALLS, type Psa, PsaRefusal } from '../../src/connectors/psa.ts'
import { clock } from '../setup/app.ts'
import { addCompanies } from '../setup/companies.ts'
import {
  addPsaAttributes,
  addPsaContacts,
  addPsaTechnicians,
  addPsaTickets,
  psaOfTenant,
} from '../setup/psa.ts'
import { days, world } from '../setup/world.ts'

/** A PSA with the companies a and b, the technicians 7 and 8, the contacts below, and no tickets. */
interface Fixture {
  psa: Psa
  addTickets: (tickets: Parameters<typeof addPsaTickets>[1]) => Promise<void>
}

const CONTACTS = [
  { contact_id: '11', psa_company_id: 'psa_a', name: 'Ada', email: ' Ada.Lovelace@A.example ', title: 'CTO' },
  { contact_id: '12', psa_company_id: 'psa_a', name: 'Bo', email: 'bo@a.example', is_active: false },
  { contact_id: '13', psa_company_id: 'psa_a', name: 'Bo again', email: 'BO@a.example', phone: '+44 1' },
  { contact_id: '14', psa_company_id: 'psa_a', name: 'Bo too', email: 'bo@a.example' },
  { contact_id: '15', psa_company_id: 'psa_a', name: 'No address' },
  { contact_id: '21', psa_company_id: 'psa_b', name: 'Ada of B', email: 'ada.lovelace@a.example' },
]

async function local(): Promise<Fixture> {
  const msp = await world()
  await addCompanies(msp, [
    { id: 'b', name: 'Beta' },
    { id: 'a', name: 'alpha', status: 'INACTIVE' },
  ])
  await addPsaAttributes(msp, 'type', { 1: 'Customer', 2: 'Prospect' }, { psa_a: 2, psa_b: 1 })
  await addPsaAttributes(msp, 'territory', { 11: 'North' }, { psa_a: 11 })
  await addPsaTechnicians(msp, [{ psa_id: 7, name: 'Gus', email: 'gus@msp.example' }, { psa_id: 8 }])
  await addPsaContacts(msp, CONTACTS)
  return { psa: psaOfTenant(msp), addTickets: (tickets) => addPsaTickets(msp, tickets) }
}

const ADAPTERS: [name: string, setUp: () => Promise<Fixture>][] = [['local', local]]

const ago = (count: number): Date => new Date(clock.now().getTime() - days(count))
const idsOf = (tickets: readonly { ticket_id: string }[]) => tickets.map(({ ticket_id }) => ticket_id)

describe.each(ADAPTERS)('the PSA %s', (_name, setUp) => {
  it('has every call of the port', async () => {
    const { psa } = await setUp()
    expect(Object.keys(psa).sort()).toEqual(Object.keys(PSA_CALLS).sort())
  })

  it('has companies by name, with their choices in the fields that filters use', async () => {
    const { psa } = await setUp()
    const alpha = { psa_company_id: 'psa_a', name: 'alpha', is_active: false }
    const beta = { psa_company_id: 'psa_b', name: 'Beta', is_active: true, attributes: { type: 1 } }
    expect(await psa.companies()).toEqual([{ ...alpha, attributes: { type: 2, territory: 11 } }, beta])
    expect(await psa.company('psa_b')).toEqual(beta)
    const fields = await psa.companyFields()
    const options = (wanted: string) => fields.find(({ field_name }) => field_name === wanted)?.options
    expect(options('type')).toEqual([
      { id: 1, name: 'Customer' },
      { id: 2, name: 'Prospect' },
    ])
    for (const { attributes } of await psa.companies())
      for (const [field, id] of Object.entries(attributes))
        expect(options(field)?.map((option) => option.id)).toContain(id)
    for (const { label } of fields) expect(label).not.toBe('')
    const ids = fields.flatMap(({ options: all }) => all.map(({ id }) => id))
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('answers with null or nothing for what it does not have', async () => {
    const { psa } = await setUp()
    for (const nothing of [
      psa.company('x'),
      psa.technician(999),
      psa.contact('x'),
      psa.contactByEmail('psa_a', 'nobody@a.example'),
      psa.contactByEmail('psa_a', ''),
      psa.contactByEmail('x', 'bo@a.example'),
      psa.ticket('x'),
      psa.timeEntry('x'),
    ])
      expect(await nothing).toBeNull()
    for (const none of [
      psa.openTicketsOf('x'),
      psa.recentlyClosedTicketsOf('x', 30),
      psa.notesOf('x'),
      psa.timeEntriesOf('x'),
    ])
      expect(await none).toEqual([])
  })

  it('has technicians by their number', async () => {
    const { psa } = await setUp()
    expect(await psa.technician(7)).toEqual({ psa_id: 7, name: 'Gus', email: 'gus@msp.example' })
    expect(await psa.technician(8)).toMatchObject({ psa_id: 8, email: null })
  })

  it('finds a contact of the company by the address: in any letter case, without white space', async () => {
    const { psa } = await setUp()
    for (const email of ['ada.lovelace@a.example', 'ADA.Lovelace@a.EXAMPLE', '\tada.lovelace@a.example \n'])
      expect((await psa.contactByEmail('psa_a', email))?.contact_id).toBe('11')
    expect((await psa.contactByEmail('psa_b', 'Ada.Lovelace@a.example'))?.contact_id).toBe('21')
    expect(await psa.contactByEmail('psa_a', 'ada.lovelace+work@a.example')).toBeNull()
    expect(await psa.contact('11')).toMatchObject({ name: 'Ada', title: 'CTO', phone: null, is_active: true })
  })

  it('finds an active contact of several with one address, and of those the first', async () => {
    const { psa } = await setUp()
    expect((await psa.contactByEmail('psa_a', 'bo@a.example'))?.contact_id).toBe('13')
  })

  it('has a contact’s open tickets, the last updated first', async () => {
    const { psa, addTickets } = await setUp()
    await addTickets([
      { ticket_id: '1', contact_id: '11', updated_at: ago(3) },
      { ticket_id: '2', contact_id: '11', updated_at: ago(1) },
      { ticket_id: '3', contact_id: '11', updated_at: ago(2), closed_at: ago(2) },
      { ticket_id: '4', contact_id: '12', updated_at: ago(0) },
      { ticket_id: '5' },
    ])
    expect(idsOf(await psa.openTicketsOf('11'))).toEqual(['2', '1'])
  })

  it('has the open tickets, the longest unchanged first, in pages', async () => {
    const { psa, addTickets } = await setUp()
    const [early, late] = [ago(3), ago(1)]
    await addTickets([
      { ticket_id: '3', updated_at: late },
      { ticket_id: '2', updated_at: early },
      { ticket_id: '1', updated_at: early },
      { ticket_id: '0', updated_at: early, closed_at: early },
    ])
    expect(idsOf(await psa.openTickets(null))).toEqual(['1', '2', '3'])
    expect(idsOf(await psa.openTickets({ updated_at: early, ticket_id: '1' }))).toEqual(['2', '3'])
    expect(idsOf(await psa.openTickets({ updated_at: late, ticket_id: '3' }))).toEqual([])
    const many = Array.from({ length: MAX_TICKETS + 1 }, (_, n) => `m${String(n).padStart(3, '0')}`)
    await addTickets(many.map((ticket_id) => ({ ticket_id, updated_at: ago(9) })))
    const page = await psa.openTickets(null)
    expect(idsOf(page)).toEqual(many.slice(0, -1))
    expect(idsOf(await psa.openTickets(page.at(-1) ?? null))).toEqual([many.at(-1), '1', '2', '3'])
  })

  it('has the time entries that were made after another, in their order', async () => {
    const { psa, addTickets } = await setUp()
    await addTickets([{ ticket_id: '1' }])
    const draft = { technician_psa_id: 7, minutes: 5, note: null, started_at: ago(1) }
    const made = []
    for (const key of ['a', 'b', 'c']) made.push(await psa.addTimeEntry('1', draft, key))
    const ids = (entries: readonly { time_entry_id: string }[]) => entries.map((entry) => entry.time_entry_id)
    const all = await psa.timeEntriesAfter({ created_at: ago(1), time_entry_id: '' })
    expect(ids(all).sort()).toEqual(ids(made).sort())
    const [first] = all
    expect(await psa.timeEntriesAfter(first as (typeof all)[0])).toEqual(all.slice(1))
    expect(await psa.timeEntriesAfter(all.at(-1) as (typeof all)[0])).toEqual([])
  })

  it('counts the open tickets that are assigned to technicians, in the order in which they are asked for', async () => {
    const { psa, addTickets } = await setUp()
    await addTickets([
      { ticket_id: '1', assignee_psa_id: 7 },
      { ticket_id: '2', assignee_psa_id: 7 },
      { ticket_id: '3', assignee_psa_id: 7, closed_at: ago(1) },
      { ticket_id: '4', assignee_psa_id: 8 },
      { ticket_id: '5' },
    ])
    expect(await psa.openTicketCounts([8, 999, 7, 8])).toEqual([1, 0, 2, 1])
    expect(await psa.openTicketCounts([])).toEqual([])
  })

  it('has the tickets that were closed in so many days, the last closed first', async () => {
    const { psa, addTickets } = await setUp()
    await addTickets(
      [1, 29.99, 30.01, 2].map((count, index) => ({
        ticket_id: String(index),
        contact_id: '11',
        closed_at: ago(count),
      })),
    )
    expect(idsOf(await psa.recentlyClosedTicketsOf('11', 30))).toEqual(['0', '3', '1'])
    expect(idsOf(await psa.recentlyClosedTicketsOf('11', 1.5))).toEqual(['0'])
  })

  it(`lists at most ${MAX_TICKETS} tickets`, async () => {
    const { psa, addTickets } = await setUp()
    const numbers = Array.from({ length: MAX_TICKETS + 1 }, (_, index) => index)
    await addTickets(numbers.map((n) => ({ ticket_id: `o${n}`, contact_id: '11', updated_at: ago(n) })))
    await addTickets(numbers.map((n) => ({ ticket_id: `c${n}`, contact_id: '11', closed_at: ago(n / 10) })))
    expect(idsOf(await psa.openTicketsOf('11'))).toEqual(numbers.slice(0, -1).map((n) => `o${n}`))
    expect(idsOf(await psa.recentlyClosedTicketsOf('11', 30))).toEqual(
      numbers.slice(0, -1).map((n) => `c${n}`),
    )
  })

  it('reads a ticket as it was written', async () => {
    const { psa, addTickets } = await setUp()
    const ticket = {
      ...{ ticket_id: '120001', number: '48001', title: 'Printer', description: 'It jams.' },
      ...{ status: 'In progress', priority: 'P3', board: 'Service desk', category: 'Printing' },
      ...{ psa_company_id: 'psa_a', contact_id: '11', assignee_psa_id: 7, url: 'https://psa.example/1' },
      ...{ created_at: ago(2), updated_at: ago(1), closed_at: null },
    }
    await addTickets([ticket])
    expect(await psa.ticket('120001')).toEqual(ticket)
  })
})

describe.each(ADAPTERS)('a write to the PSA %s', (_name, setUp) => {
  const note = { author_name: 'Agent', is_internal: true, text: 'Looked at it.' }
  const entry = { technician_psa_id: 7, minutes: 15, note: null, started_at: ago(0.1) }

  it('adds notes and time entries, in order, and the ticket was updated by them', async () => {
    const { psa, addTickets } = await setUp()
    await addTickets([{ ticket_id: '1', updated_at: ago(5) }])
    const first = await psa.addNote('1', note, 'n1')
    const second = await psa.addNote('1', { ...note, is_internal: false, text: 'Done.' }, 'n2')
    expect(first).toMatchObject({ ticket_id: '1', ...note })
    expect((await psa.notesOf('1')).map(({ note_id }) => note_id).sort()).toEqual(
      [first.note_id, second.note_id].sort(),
    )
    const added = await psa.addTimeEntry('1', entry, 't1')
    expect(await psa.timeEntriesOf('1')).toEqual([added])
    expect(await psa.timeEntry(added.time_entry_id)).toMatchObject(entry)
    expect((await psa.ticket('1'))?.updated_at.getTime()).toBeGreaterThan(ago(1).getTime())
  })

  it('happens once for each key, and answers with what the first one made', async () => {
    const { psa, addTickets } = await setUp()
    await addTickets([{ ticket_id: '1' }])
    const made = await psa.addNote('1', note, 'k')
    expect(await psa.addNote('1', note, 'k')).toEqual(made)
    expect(await psa.notesOf('1')).toHaveLength(1)
    const timed = await psa.addTimeEntry('1', entry, 't')
    expect(await psa.addTimeEntry('1', entry, 't')).toEqual(timed)
    expect(await psa.timeEntriesOf('1')).toHaveLength(1)
    await psa.updateTicket('1', { priority: 'P1' }, 'u1')
    await psa.updateTicket('1', { priority: 'P2' }, 'u2')
    expect((await psa.updateTicket('1', { priority: 'P1' }, 'u1')).priority).toBe('P2')
  })

  it('has an outcome by its key: made, or not', async () => {
    const { psa, addTickets } = await setUp()
    await addTickets([{ ticket_id: '1' }])
    expect(await psa.outcomeOf('k')).toBe('NOT_MADE')
    await expect(psa.addNote('x', note, 'k')).rejects.toBeInstanceOf(PsaRefusal)
    expect(await psa.outcomeOf('k')).toBe('NOT_MADE')
    await psa.addNote('1', note, 'k')
    expect(await psa.outcomeOf('k')).toBe('MADE')
  })

  it('changes what it names and nothing else', async () => {
    const { psa, addTickets } = await setUp()
    await addTickets([{ ticket_id: '1', priority: 'P3', board: 'Desk', assignee_psa_id: 7 }])
    const changed = await psa.updateTicket('1', { assignee_psa_id: null, title: 'It’s "new"' }, 'k')
    expect(changed).toMatchObject({ title: 'It’s "new"', priority: 'P3', board: 'Desk', status: 'New' })
    expect(changed.assignee_psa_id).toBeNull()
    expect((await psa.updateTicket('1', { assignee_psa_id: 8, board: null }, 'k2')).board).toBeNull()
    expect(await psa.ticket('1')).toMatchObject({ assignee_psa_id: 8, title: 'It’s "new"' })
  })

  it('closes and opens a ticket by its status', async () => {
    const { psa, addTickets } = await setUp()
    await addTickets([{ ticket_id: '1', contact_id: '11' }])
    const statuses = await psa.ticketStatuses()
    const [open, closed] = [false, true].map((is_closed) =>
      statuses.find((status) => status.is_closed === is_closed),
    )
    if (!open || !closed) throw new Error('The PSA lacks a status')
    expect((await psa.updateTicket('1', { status: closed.name }, 'k1')).closed_at).toBeInstanceOf(Date)
    expect(idsOf(await psa.recentlyClosedTicketsOf('11', 1))).toEqual(['1'])
    expect((await psa.updateTicket('1', { priority: 'P1' }, 'k2')).closed_at).toBeInstanceOf(Date)
    expect((await psa.updateTicket('1', { status: open.name }, 'k3')).closed_at).toBeNull()
    expect(idsOf(await psa.openTicketsOf('11'))).toEqual(['1'])
  })

  it('is refused where there is no such ticket, status or technician, and writes nothing', async () => {
    const { psa, addTickets } = await setUp()
    await addTickets([{ ticket_id: '1' }])
    const before = await psa.ticket('1')
    const refusals: [string, () => Promise<unknown>][] = [
      ['TICKET_NOT_FOUND', () => psa.addNote('x', note, 'k1')],
      ['TICKET_NOT_FOUND', () => psa.addTimeEntry('x', entry, 'k2')],
      ['TICKET_NOT_FOUND', () => psa.updateTicket('x', { title: 'x' }, 'k3')],
      ['STATUS_UNKNOWN', () => psa.updateTicket('1', { status: 'x', title: 'x' }, 'k4')],
      ['TECHNICIAN_UNKNOWN', () => psa.updateTicket('1', { assignee_psa_id: 999, title: 'x' }, 'k5')],
      ['TECHNICIAN_UNKNOWN', () => psa.addTimeEntry('1', { ...entry, technician_psa_id: 999 }, 'k6')],
    ]
    for (const [reason, refused] of refusals) {
      const error = await refused().catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(PsaRefusal)
      expect(error).toMatchObject({ reason })
    }
    expect(await psa.ticket('1')).toEqual(before)
    expect(await psa.addNote('1', note, 'k1')).toMatchObject(note)
  })

  it.runIf(process.env.DATABASE_URL)(
    'that comes twenty times at once with one key happens once',
    async () => {
      const { psa, addTickets } = await setUp()
      await addTickets([{ ticket_id: '1' }])
      const times = Array.from({ length: 20 }, () => psa.addNote('1', note, 'k'))
      expect(new Set((await Promise.all(times)).map(({ note_id }) => note_id)).size).toBe(1)
      expect(await psa.notesOf('1')).toHaveLength(1)
    },
  )
})
