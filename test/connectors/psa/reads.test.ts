/** The promises of the port to a PSA about what it reads, by which every adapter is tried. */
import { describe, expect, it } from 'vitest'
import {
  type ChangeSearch,
  type DirectoryPage,
  MAX_TICKETS,
  PSA,
  type PsaChange,
} from '../../../src/connectors/psa.ts'
import { ADAPTERS, ago, idsOf } from './fixture.ts'

/** Every row of the pages. */
async function all<Row, Search extends { after: string | null }>(
  page: (search: Search) => Promise<DirectoryPage<Row>>,
  search: Omit<Search, 'after'>,
): Promise<Row[]> {
  const rows: Row[] = []
  let after: string | null = null
  do {
    const read: DirectoryPage<Row> = await page({ ...search, after } as Search)
    expect(read.rows.length).toBeLessThanOrEqual(1000)
    rows.push(...read.rows)
    after = read.next
  } while (after !== null)
  return rows
}

const ALL = { words: '', psa_company_id: null, limit: 50 }

describe.each(ADAPTERS)('the PSA %s', (_name, setUp) => {
  it('has every call of the port', async () => {
    const { psa } = await setUp()
    expect(Object.keys(psa).sort()).toEqual(Object.keys(PSA.calls).sort())
  })

  it('has companies by name, with their choices in the fields that filters use', async () => {
    const { psa } = await setUp()
    const alpha = { psa_company_id: 'psa_a', name: 'alpha', is_active: false }
    const beta = { psa_company_id: 'psa_b', name: 'Beta', is_active: true }
    const fields = await psa.companyFields()
    const options = (wanted: string) => fields.find(({ field_name }) => field_name === wanted)?.options
    const idOf = (wanted: string, option: string) =>
      options(wanted)?.find(({ name }) => name === option)?.id ?? option
    expect(options('type')?.map(({ name }) => name)).toEqual(['Customer', 'Prospect'])
    expect(await psa.companies()).toMatchObject([
      {
        ...alpha,
        attributes: { type: idOf('type', 'Prospect'), territory: idOf('territory', 'North') },
      },
      { ...beta, attributes: { type: idOf('type', 'Customer') } },
    ])
    expect(await psa.company('psa_b')).toMatchObject(beta)
    expect((await psa.company('psa_b'))?.attributes).not.toHaveProperty('territory')
    for (const { attributes } of await psa.companies())
      for (const [field, id] of Object.entries(attributes))
        expect(options(field)?.map((option) => option.id)).toContain(id)
    for (const { label } of fields) expect(label).not.toBe('')
    const ids = fields.flatMap(({ options: all }) => all.map(({ id }) => id))
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('has a directory of its companies, contacts and technicians, each row on one page', async () => {
    const { psa } = await setUp()
    const ever = { changed_since: null }
    const companies = await all(psa.companyPage, ever)
    expect(new Map(companies.map(({ psa_company_id, domains }) => [psa_company_id, domains]))).toEqual(
      new Map([
        ['psa_a', []],
        ['psa_b', ['beta.example']],
      ]),
    )
    expect(companies.find(({ psa_company_id }) => psa_company_id === 'psa_b')).toMatchObject(
      (await psa.company('psa_b')) ?? {},
    )
    const contacts = await all(psa.contactPage, ever)
    expect(new Set(contacts.map(({ contact_id }) => contact_id)).size).toBe(contacts.length)
    expect(contacts.find(({ contact_id }) => contact_id === '12')).toEqual(await psa.contact('12'))
    const technicians = await all(psa.technicianPage, ever)
    expect(technicians.map(({ psa_id }) => psa_id).sort()).toEqual([7, 8])
    expect(technicians.find(({ psa_id }) => psa_id === 7)).toEqual(await psa.technician(7))
    expect((await all(psa.companyPage, { changed_since: new Date(0) })).length).toBe(companies.length)
  })

  it('answers with null or nothing for what it does not have', async () => {
    const { psa } = await setUp()
    for (const nothing of [
      psa.company('x'),
      psa.technician(999),
      psa.contact('x'),
      psa.companyDetails('x'),
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
      psa.attachmentsOf('x'),
      psa.searchTickets({ ...ALL, words: 'nothing', open_only: false }),
      psa.searchTickets({ ...ALL, words: '', psa_company_id: 'x', open_only: false }),
      psa.searchCompanies({ words: 'nothing', limit: 9 }),
      psa.searchContacts({ ...ALL, words: 'nothing' }),
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
    for (const other of ['ada.lovelace+work@a.example', 'ada.love\u017face@a.example'])
      expect(await psa.contactByEmail('psa_a', other)).toBeNull()
    expect(await psa.contact('11')).toMatchObject({ name: 'Ada', title: 'CTO', phone: null, is_active: true })
  })

  it('folds no letters of an address but those of ASCII, and takes either form of its domain', async () => {
    const { psa } = await setUp()
    expect(await psa.contactByEmail('psa_k', 'kim@a.example')).toBeNull()
    expect(await psa.contactByEmail('psa_k', 'KIM@a.example')).toBeNull()
    expect((await psa.contactByEmail('psa_k', '\u212aim@a.EXAMPLE'))?.contact_id).toBe('31')
    for (const email of ['kim@xn--bcher-kva.example', 'KIM@B\u00dcCHER.example'])
      expect((await psa.contactByEmail('psa_k', email))?.contact_id).toBe('32')
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
    const many = Array.from({ length: MAX_TICKETS + 1 }, (_, n) => String(1000 + n))
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

  it('has the tickets that changed since an instant, the oldest change first, open or closed', async () => {
    const { psa, addTickets } = await setUp()
    const [one, two, three] = [ago(1), ago(2), ago(3)]
    await addTickets([
      { ticket_id: '1', updated_at: one },
      { ticket_id: '2', updated_at: two, closed_at: two },
      { ticket_id: '3', updated_at: three },
      { ticket_id: '4', updated_at: ago(4) },
    ])
    const changed = (changed_since: Date) => all(psa.ticketChangePage, { changed_since })
    expect(await changed(three)).toEqual([
      { entity_id: '3', changed_at: three },
      { entity_id: '2', changed_at: two },
      { entity_id: '1', changed_at: one },
    ])
    const note = { author_name: 'Ada', is_internal: true, text: 'Called.' }
    await psa.addNote('4', note, 'k')
    expect((await changed(ago(0.5))).map(({ entity_id }) => entity_id)).toEqual(['4'])
    expect(await changed(ago(-1))).toEqual([])
  })

  it('has changed tickets in pages that leave out none of one instant, and none that changes meanwhile', async () => {
    const { psa, addTickets } = await setUp()
    const ids = Array.from({ length: 1001 }, (_, n) => String(1000 + n))
    const changed_since = ago(2)
    await addTickets(ids.map((ticket_id) => ({ ticket_id, updated_at: changed_since })))
    const search = { changed_since }
    const first = await psa.ticketChangePage({ ...search, after: null })
    expect(first.rows.length).toBeLessThanOrEqual(1000)
    const [again] = first.rows as [PsaChange]
    await psa.addNote(again.entity_id, { author_name: 'Ada', is_internal: true, text: 'Called.' }, 'k')
    const later = await all<PsaChange, ChangeSearch>(
      ({ after, ...rest }) => psa.ticketChangePage({ ...rest, after: after ?? first.next }),
      search,
    )
    const seen = [...first.rows, ...later].map(({ entity_id }) => entity_id)
    expect(seen.slice(0, -1).sort()).toEqual(ids)
    expect(seen.at(-1)).toBe(again.entity_id)
  })

  it('has the time entries that changed since an instant, the oldest change first', async () => {
    const { psa, addTickets, unsupported } = await setUp()
    const changed = (changed_since: Date) => all(psa.timeEntryChangePage, { changed_since })
    if (unsupported.has('timeEntryChangePage')) {
      await expect(changed(ago(1))).rejects.toMatchObject({ reason: 'NOT_SUPPORTED' })
      return
    }
    await addTickets([{ ticket_id: '1' }])
    const draft = { technician_psa_id: 7, minutes: 5, note: null, started_at: ago(1) }
    const made = []
    for (const key of ['a', 'b', 'c']) made.push((await psa.addTimeEntry('1', draft, key)).time_entry_id)
    expect((await changed(ago(0.5))).map(({ entity_id }) => entity_id).sort()).toEqual(made.sort())
    expect(await changed(ago(-1))).toEqual([])
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
        ticket_id: String(index + 1),
        contact_id: '11',
        closed_at: ago(count),
      })),
    )
    expect(idsOf(await psa.recentlyClosedTicketsOf('11', 30))).toEqual(['1', '4', '2'])
    expect(idsOf(await psa.recentlyClosedTicketsOf('11', 1.5))).toEqual(['1'])
  })

  it(`lists at most ${MAX_TICKETS} tickets`, async () => {
    const { psa, addTickets } = await setUp()
    const numbers = Array.from({ length: MAX_TICKETS + 1 }, (_, index) => index)
    await addTickets(
      numbers.map((n) => ({ ticket_id: String(1000 + n), contact_id: '11', updated_at: ago(n) })),
    )
    await addTickets(
      numbers.map((n) => ({ ticket_id: String(5000 + n), contact_id: '11', closed_at: ago(n / 10) })),
    )
    expect(idsOf(await psa.openTicketsOf('11'))).toEqual(numbers.slice(0, -1).map((n) => String(1000 + n)))
    expect(idsOf(await psa.recentlyClosedTicketsOf('11', 30))).toEqual(
      numbers.slice(0, -1).map((n) => String(5000 + n)),
    )
  })

  it('reads a ticket as it was written', async () => {
    const { psa, addTickets, can } = await setUp()
    const ticket = {
      ticket_id: '120001',
      number: '48001',
      title: 'Printer',
      description: 'It jams.',
      status: 'In progress',
      priority: 'P3',
      board: 'Service desk',
      category: 'Printing',
      type: 'Incident',
      resolution: null,
      merged_into_ticket_id: null,
      psa_company_id: 'psa_a',
      contact_id: '11',
      assignee_psa_id: 7,
      url: 'https://psa.example/1',
      created_at: ago(2),
      updated_at: ago(1),
      closed_at: null,
    }
    await addTickets([ticket])
    const { number, url, ...rest } = ticket
    const given = can.take_numbers_and_addresses ? { number, url } : {}
    const { names: _names, ...read } = (await psa.ticket('120001')) ?? {}
    expect(read).toEqual({
      number: expect.any(String),
      url: expect.stringMatching(/^https?:/),
      ...given,
      ...rest,
    })
  })

  it('has a ticket as lists have it', async () => {
    const { psa, addTickets } = await setUp()
    await addTickets([{ ticket_id: '1', title: 'Printer', psa_company_id: 'psa_a', assignee_psa_id: 7 }])
    const { description, resolution, ...rest } = (await psa.ticket('1')) ?? {}
    expect(await psa.listedTicket('1')).toMatchObject(rest)
    for (const id of ['2', 'x']) expect(await psa.listedTicket(id)).toBeNull()
  })

  it('has tickets with their notes: those that it knows, as they are read one by one', async () => {
    const { psa, addTickets } = await setUp()
    const ids = ['1', '2', '3']
    await addTickets(
      ids.map((ticket_id) => ({
        ticket_id,
        title: `T${ticket_id}`,
        description: 'It jams.',
        updated_at: ago(5),
      })),
    )
    for (const text of ['First', 'Second', 'Third'])
      await psa.addNote('2', { author_name: 'Agent', is_internal: false, text }, text)
    await psa.updateTicket('3', { resolution: 'Cleaned it.' }, 'k')
    const read = await psa.ticketsWithNotes(['3', '9', 'x', '2', '1', '2'])
    expect(idsOf(read.map(({ ticket }) => ticket)).sort()).toEqual(ids)
    for (const { ticket, notes } of read) {
      expect(ticket).toEqual(await psa.ticket(ticket.ticket_id))
      expect(notes).toEqual(await psa.notesOf(ticket.ticket_id))
    }
    const notes = read.find(({ ticket }) => ticket.ticket_id === '2')?.notes ?? []
    const texts = notes.map(({ text }) => text).filter((text) => text !== 'It jams.')
    expect(texts.sort()).toEqual(['First', 'Second', 'Third'])
    const times = notes.map(({ created_at }) => created_at.getTime())
    expect(times).toEqual(times.toSorted((one, other) => one - other))
    expect(await psa.ticketsWithNotes(['1'])).toMatchObject([{ ticket: { ticket_id: '1' } }])
    for (const none of [[], ['x'], ['9']]) expect(await psa.ticketsWithNotes(none)).toEqual([])
  })
})

describe.each(ADAPTERS)('a search of the PSA %s', (_name, setUp) => {
  it('finds what has every word, in any letter case', async () => {
    const { psa, addTickets, can } = await setUp()
    await addTickets([
      { ticket_id: '1', title: 'Printer jams', psa_company_id: 'psa_a', created_at: ago(3) },
      {
        ticket_id: '2',
        title: 'Jam',
        description: 'The PRINTER again',
        psa_company_id: 'psa_b',
        created_at: ago(2),
      },
      { ticket_id: '3', title: 'Printer', closed_at: ago(1), created_at: ago(1) },
      { ticket_id: '4', title: '100% full_disk', number: 'T-4' },
    ])
    const found = async (words: string, rest: object = {}) =>
      idsOf(await psa.searchTickets({ ...ALL, open_only: false, ...rest, words }))
    const described = can.search_descriptions ? ['2'] : []
    expect(await found('printer')).toEqual(['3', ...described, '1'])
    expect(await found('jam PRINTER')).toEqual([...described, '1'])
    expect(await found('printer', { psa_company_id: 'psa_a' })).toEqual(['1'])
    expect(await found('printer', { open_only: true, limit: 1 })).toEqual([described[0] ?? '1'])
    expect(await found(can.take_numbers_and_addresses ? 't-4' : '4')).toEqual(['4'])
    expect(await found('0%')).toEqual(['4'])
    expect(await found('f_ll')).toEqual([])
  })

  it('finds companies by name or domain, and active contacts by name, address or number', async () => {
    const { psa } = await setUp()
    const companies = async (words: string, limit = 9) =>
      (await psa.searchCompanies({ words, limit })).map(({ psa_company_id }) => psa_company_id)
    expect(await companies('A')).toEqual(['psa_a', 'psa_b'])
    expect(await companies('a', 1)).toEqual(['psa_a'])
    expect(await companies('beta.example')).toEqual(['psa_b'])
    const contacts = async (words: string, psa_company_id: string | null = null) =>
      (await psa.searchContacts({ words, psa_company_id, limit: 9 })).map(({ contact_id }) => contact_id)
    expect(await contacts('ada')).toEqual(['11', '21'])
    expect(await contacts('ada', 'psa_b')).toEqual(['21'])
    expect(await contacts('bo a.example')).toEqual(['13', '14'])
    expect(await contacts('+44')).toEqual(['13'])
  })

  it('has the domains and agreements of a company, and names of companies', async () => {
    const { psa } = await setUp()
    expect(await psa.companyDetails('psa_b')).toEqual({
      domains: ['beta.example'],
      agreements: ['Managed services', 'Projects'],
    })
    expect(await psa.companyDetails('psa_a')).toEqual({ domains: [], agreements: [] })
    expect(await psa.companyNames(['psa_b', 'x', 'psa_a'])).toEqual(['Beta', null, 'alpha'])
  })
})
