/** The promises of the port to a PSA about what it writes, by which every adapter is tried. */
import { describe, expect, it } from 'vitest'
import { PortRefusal } from '../../../src/connectors/port.ts'
import { PSA, type Psa } from '../../../src/connectors/psa.ts'
import { ADAPTERS, ago, idsOf } from './fixture.ts'
import { entry, note, WRITES } from './written.ts'

const LONG_AGO = new Date(0)
const LATER = ago(-1)

describe.each(ADAPTERS)('a write to the PSA %s', (_name, setUp) => {
  const NOT_SUPPORTED = { reason: 'NOT_SUPPORTED' }

  it('adds notes and time entries, in order, and the ticket was updated by them', async () => {
    const { psa, addTickets } = await setUp()
    await addTickets([{ ticket_id: '1', updated_at: ago(5) }])
    const first = await psa.addNote('1', note, 'n1')
    const second = await psa.addNote('1', { ...note, is_internal: false, text: 'Done.' }, 'n2')
    const notes = new Map((await psa.notesOf('1')).map((one) => [one.note_id, one]))
    expect([...notes.keys()].sort()).toEqual([first.note_id, second.note_id].sort())
    expect(notes.get(first.note_id)).toMatchObject({ ticket_id: '1', ...note })
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

  it('has an outcome that is certain', async () => {
    const { psa, addTickets } = await setUp()
    await addTickets([{ ticket_id: '1' }, { ticket_id: '2' }])
    const on_first = { note_on: '1' }
    expect(await psa.outcomeOf('k', on_first, LONG_AGO)).toBe('NOT_MADE')
    await expect(psa.addNote('x', note, 'k')).rejects.toBeInstanceOf(PortRefusal)
    await psa.addNote('2', note, 'other')
    expect(await psa.outcomeOf('k', on_first, LONG_AGO)).toBe('NOT_MADE')
    expect(await psa.outcomeOf('k', { note_on: 'x' }, LONG_AGO)).toBe('NOT_MADE')
    await psa.addNote('1', note, 'k')
    for (const ends_at of [LONG_AGO, LATER]) expect(await psa.outcomeOf('k', on_first, ends_at)).toBe('MADE')
  })

  it('that may be under way is not said to be not made, unless its key is kept', async () => {
    const { psa, addTickets, can } = await setUp()
    await addTickets([{ ticket_id: '1' }])
    const told = await psa.outcomeOf('k', { note_on: '1' }, LATER)
    if (can.keep_keys) expect(told).toBe('NOT_MADE')
    else expect(told).toEqual({ asked_again_at: expect.any(Date) })
    if (typeof told === 'object')
      expect(told.asked_again_at.getTime()).toBeGreaterThanOrEqual(LATER.getTime())
  })

  it('of a note that is tried for the first time is one request, and is found when it is tried again', async () => {
    const { psa, first_try, requests, addTickets } = await setUp()
    await addTickets([{ ticket_id: '1' }])
    // What is kept for minutes is read with the first note.
    await first_try.addNote('1', note, 'before')
    const before = requests.length
    const made = await first_try.addNote('1', note, 'k')
    expect(requests.length - before).toBe(requests.length === 0 ? 0 : 1)
    expect(await psa.addNote('1', note, 'k')).toEqual(made)
    expect(await psa.notesOf('1')).toHaveLength(2)
  })

  it('changes what it names and nothing else', async () => {
    const { psa, addTickets, can } = await setUp()
    await addTickets([{ ticket_id: '1', priority: 'P3', board: 'Desk', assignee_psa_id: 7 }])
    const changed = await psa.updateTicket('1', { assignee_psa_id: null, title: 'It’s "new"' }, 'k')
    expect(changed).toMatchObject({ title: 'It’s "new"', priority: 'P3', board: 'Desk', status: 'New' })
    expect(changed.assignee_psa_id).toBeNull()
    const unboarded = psa.updateTicket('1', { assignee_psa_id: 8, board: null }, 'k2')
    if (can.have_tickets_without_board) expect((await unboarded).board).toBeNull()
    else {
      await expect(unboarded).rejects.toMatchObject(NOT_SUPPORTED)
      expect((await psa.ticket('1'))?.assignee_psa_id).toBeNull()
      await psa.updateTicket('1', { assignee_psa_id: 8 }, 'k3')
    }
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

  it('changes type, contact and resolution', async () => {
    const { psa, addTickets } = await setUp()
    await addTickets([{ ticket_id: '1', psa_company_id: 'psa_a' }])
    const changes = { type: 'Incident', category: 'Printing', contact_id: '11', resolution: 'Cleaned it.' }
    expect(await psa.updateTicket('1', changes, 'k')).toMatchObject(changes)
    expect(await psa.ticket('1')).toMatchObject(changes)
  })

  it('creates tickets with the first status', async () => {
    const { psa, can } = await setUp()
    const draft = { psa_company_id: 'psa_a', contact_id: '11', title: 'New', description: 'One', board: null }
    const made = await psa.createTicket(draft, 'k')
    const [first] = await psa.ticketStatuses()
    const { board, ...rest } = draft
    expect(made).toMatchObject({ ...rest, status: first?.name, closed_at: null })
    if (can.have_tickets_without_board) expect(made.board).toBe(board)
    expect(await psa.ticket(made.ticket_id)).toMatchObject(made)
    expect(await psa.createTicket(draft, 'k')).toEqual(made)
    expect(idsOf(await psa.openTicketsOf('11'))).toEqual([made.ticket_id])
  })

  it('merges a duplicate, which is closed and names the ticket that stays', async () => {
    const { psa, addTickets, unsupported } = await setUp()
    await addTickets([{ ticket_id: '1' }, { ticket_id: '2', updated_at: ago(5) }])
    if (unsupported.has('mergeTicket')) {
      await expect(psa.mergeTicket('1', '2', 'k')).rejects.toMatchObject(NOT_SUPPORTED)
      return
    }
    const merged = await psa.mergeTicket('1', '2', 'k')
    expect(merged).toMatchObject({ ticket_id: '1', merged_into_ticket_id: '2' })
    expect(merged.closed_at).toBeInstanceOf(Date)
    expect(await psa.mergeTicket('1', '2', 'k')).toEqual(merged)
    const stays = await psa.ticket('2')
    expect(stays).toMatchObject({ closed_at: null, merged_into_ticket_id: null })
    expect(stays?.updated_at.getTime()).toBeGreaterThan(ago(1).getTime())
  })

  it('puts a time entry under an agreement of the company, and sends it back', async () => {
    const { psa, addTickets, can, unsupported } = await setUp()
    await addTickets([{ ticket_id: '1', psa_company_id: 'psa_b' }])
    const technician_psa_id = can.have_time_without_technician ? null : 7
    const { time_entry_id: id } = await psa.addTimeEntry('1', { ...entry, technician_psa_id }, 't')
    expect(await psa.setAgreement(id, 'Projects', 'k1')).toMatchObject({ agreement: 'Projects' })
    await psa.setAgreement(id, 'Managed services', 'k2')
    expect(await psa.setAgreement(id, 'Projects', 'k1')).toMatchObject({ agreement: 'Managed services' })
    const returned = psa.returnTimeEntry(id, 'No note', 'k3')
    if (unsupported.has('returnTimeEntry')) {
      await expect(returned).rejects.toMatchObject(NOT_SUPPORTED)
      expect(await psa.timeEntry(id)).toMatchObject({ returned_reason: null })
    } else {
      expect(await returned).toMatchObject({ returned_reason: 'No note' })
      expect(await psa.timeEntry(id)).toMatchObject({ technician_psa_id, returned_reason: 'No note' })
    }
  })

  it('refuses a time entry of nobody, if the PSA has none, and writes nothing', async ({ skip }) => {
    const { psa, addTickets, can } = await setUp()
    if (can.have_time_without_technician) skip()
    await addTickets([{ ticket_id: '1' }])
    const refused = psa.addTimeEntry('1', { ...entry, technician_psa_id: null }, 't')
    await expect(refused).rejects.toMatchObject(NOT_SUPPORTED)
    expect(await psa.timeEntriesOf('1')).toEqual([])
  })

  it('sends a message, which its ticket keeps as a note that the contact reads', async () => {
    const { psa, addTickets, can, unsupported } = await setUp()
    await addTickets([{ ticket_id: '1' }])
    const message = {
      contact_id: '11',
      ticket_id: '1',
      author_name: 'Agent',
      subject: 'Hello',
      body: 'Done.',
    }
    if (unsupported.has('sendMessage')) {
      await expect(psa.sendMessage(message, 'k')).rejects.toMatchObject(NOT_SUPPORTED)
      expect(await psa.notesOf('1')).toEqual([])
      return
    }
    const sent = await psa.sendMessage(message, 'k')
    expect(await psa.sendMessage(message, 'k')).toEqual(sent)
    expect(await psa.notesOf('1')).toEqual([
      expect.objectContaining({ is_internal: false, author_name: 'Agent' }),
    ])
    expect((await psa.notesOf('1'))[0]?.text).toMatch(/Hello\s+Done\./)
    const other = psa.sendMessage({ ...message, ticket_id: null }, 'k2')
    if (can.send_messages_without_ticket) expect((await other).message_id).not.toBe(sent.message_id)
    else await expect(other).rejects.toMatchObject(NOT_SUPPORTED)
    expect(await psa.notesOf('1')).toHaveLength(1)
  })

  it('is refused if there is no such ticket, status or technician, and writes nothing', async () => {
    const { psa, addTickets, unsupported } = await setUp()
    await addTickets([{ ticket_id: '1', psa_company_id: 'psa_a' }])
    const { time_entry_id } = await psa.addTimeEntry('1', entry, 'k0')
    const before = await psa.ticket('1')
    const draft = { psa_company_id: 'psa_a', contact_id: null, title: 'x', description: 'x', board: null }
    const message = { contact_id: '11', ticket_id: '1', author_name: 'x', subject: 'x', body: 'x' }
    const unless = (call: keyof Psa, reason: string) => (unsupported.has(call) ? 'NOT_SUPPORTED' : reason)
    const refusals: [string, () => Promise<unknown>][] = [
      ['TICKET_NOT_FOUND', () => psa.addNote('x', note, 'k1')],
      ['TICKET_NOT_FOUND', () => psa.addTimeEntry('x', entry, 'k2')],
      ['TICKET_NOT_FOUND', () => psa.updateTicket('x', { title: 'x' }, 'k3')],
      ['STATUS_NOT_FOUND', () => psa.updateTicket('1', { status: 'x', title: 'x' }, 'k4')],
      ['TECHNICIAN_NOT_FOUND', () => psa.updateTicket('1', { assignee_psa_id: 999, title: 'x' }, 'k5')],
      ['TECHNICIAN_NOT_FOUND', () => psa.addTimeEntry('1', { ...entry, technician_psa_id: 999 }, 'k6')],
      ['CONTACT_NOT_FOUND', () => psa.updateTicket('1', { contact_id: '21', title: 'x' }, 'k7')],
      ['COMPANY_NOT_FOUND', () => psa.createTicket({ ...draft, psa_company_id: 'x' }, 'k8')],
      ['CONTACT_NOT_FOUND', () => psa.createTicket({ ...draft, contact_id: '21' }, 'k9')],
      ['CONTACT_NOT_FOUND', () => psa.createTicket({ ...draft, contact_id: 'x' }, 'k9')],
      [unless('mergeTicket', 'TICKET_NOT_FOUND'), () => psa.mergeTicket('x', '1', 'k10')],
      [unless('mergeTicket', 'TICKET_NOT_FOUND'), () => psa.mergeTicket('1', 'x', 'k10')],
      [unless('mergeTicket', 'TICKET_MERGED_INTO_ITSELF'), () => psa.mergeTicket('1', '1', 'k10')],
      ['TIME_ENTRY_NOT_FOUND', () => psa.setAgreement('x', 'Projects', 'k11')],
      [unless('returnTimeEntry', 'TIME_ENTRY_NOT_FOUND'), () => psa.returnTimeEntry('x', 'No note', 'k11')],
      ['AGREEMENT_NOT_FOUND', () => psa.setAgreement(time_entry_id, 'Projects', 'k12')],
      [
        unless('sendMessage', 'CONTACT_NOT_FOUND'),
        () => psa.sendMessage({ ...message, contact_id: 'x' }, 'k13'),
      ],
      [
        unless('sendMessage', 'TICKET_NOT_FOUND'),
        () => psa.sendMessage({ ...message, ticket_id: 'x' }, 'k13'),
      ],
    ]
    for (const [reason, refused] of refusals) {
      const error = await refused().catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(PortRefusal)
      expect(error).toMatchObject({ reason })
    }
    expect(await psa.ticket('1')).toEqual(before)
    await psa.addNote('1', note, 'k1')
    expect(await psa.notesOf('1')).toContainEqual(expect.objectContaining(note))
  })

  it('has its outcome known, whichever write it is', async () => {
    const { psa, addTickets, unsupported } = await setUp()
    await addTickets([{ ticket_id: '1', psa_company_id: 'psa_b' }, { ticket_id: '2' }])
    const { time_entry_id } = await psa.addTimeEntry('1', entry, 'setup')
    const writes = Object.keys(PSA.calls).filter((name) => PSA.calls[name as keyof Psa] === 'WRITE')
    expect(Object.keys(WRITES)).toEqual(writes)
    for (const [name, { write, of }] of Object.entries(WRITES)) {
      if (unsupported.has(name as keyof Psa)) {
        await expect(write(psa, name, time_entry_id)).rejects.toMatchObject(NOT_SUPPORTED)
        continue
      }
      expect([name, await psa.outcomeOf(name, of(time_entry_id), LONG_AGO)]).toEqual([name, 'NOT_MADE'])
      const made = await write(psa, name, time_entry_id)
      expect([name, await psa.outcomeOf(name, of(time_entry_id), LATER)]).toEqual([name, 'MADE'])
      expect(await write(psa, name, time_entry_id)).toEqual(made)
    }
  })

  it.runIf(process.env.DATABASE_URL).each(Object.entries(WRITES))(
    '%s that comes ten times at once with one key happens once, and answers all the same',
    async (_call, { write }) => {
      const { psa, addTickets, state, unsupported } = await setUp()
      if (unsupported.has(_call as keyof Psa)) return
      await addTickets([{ ticket_id: '1', psa_company_id: 'psa_b' }, { ticket_id: '2' }])
      const { time_entry_id } = await psa.addTimeEntry('1', entry, 'setup')
      const before = await state()
      const made = await Promise.all(Array.from({ length: 10 }, () => write(psa, 'k', time_entry_id)))
      for (const one of made) expect(one).toEqual(made[0])
      const after = await state()
      expect(after.writes).toBe(before.writes + 1)
      expect(after.things).toBeLessThanOrEqual(before.things + (_call === 'sendMessage' ? 2 : 1))
    },
  )
})
