import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  changesOfTicket,
  changesOfTimeEntry,
  type Event,
  type Known,
  needsContact,
} from '../../src/areas/callbacks/rules/changes.ts'
import { ownChangesOfTicket, ownChangesOfTimeEntry } from '../../src/areas/callbacks/rules/own-changes.ts'
import {
  MAX_KEPT,
  type ReadTicket,
  type TicketVersion,
  versionOfTicket,
  versionOfTimeEntry,
} from '../../src/areas/callbacks/rules/version.ts'
import { CHANGE_TYPES } from '../../src/areas/change-types/catalogue.ts'
import type { PsaNote, PsaTicket, PsaTimeEntry } from '../../src/connectors/psa.ts'

const at = (second: number) => new Date(Date.UTC(2026, 5, 1, 12, 0, second))
const LONG_AGO = new Date(Date.UTC(2026, 0, 1))

const TICKET: PsaTicket = {
  ticket_id: '1',
  number: '#1',
  title: 'Printer',
  description: 'It smokes.',
  status: 'New',
  priority: 'Low',
  board: 'Service desk',
  type: 'Incident',
  category: 'Hardware',
  psa_company_id: 'c1',
  contact_id: 'p1',
  assignee_psa_id: 7,
  url: null,
  created_at: LONG_AGO,
  updated_at: at(0),
  closed_at: null,
  resolution: null,
  merged_into_ticket_id: null,
}

const note = (note_id: string, given: Partial<PsaNote> = {}): PsaNote => ({
  note_id,
  ticket_id: '1',
  author_name: 'Ada Byron',
  author_side: null,
  author_contact_id: null,
  is_internal: false,
  text: 'Hello',
  created_at: at(0),
  ...given,
})

const read = (ticket: Partial<PsaTicket> = {}, rest: Partial<ReadTicket> = {}): ReadTicket => ({
  ticket: { ...TICKET, ...ticket },
  notes: [],
  attachments: [],
  ...rest,
})

const UPDATED: Event = { action: 'UPDATED', received_at: at(10) }
const CREATED: Event = { action: 'CREATED', received_at: at(10) }

const known = (of: ReadTicket = read(), is_announced = true): Known<TicketVersion> => ({
  version: JSON.parse(JSON.stringify(versionOfTicket(of))),
  is_announced,
})

const codes = (
  before: Known<TicketVersion> | null,
  now: ReadTicket,
  event: Event = UPDATED,
  contact: string | null = 'Ada Byron',
) => changesOfTicket(before, now, event, contact).map(({ code }) => code)

describe('the changes of a ticket', () => {
  test.each<[string, Partial<PsaTicket>, string[]]>([
    ['nothing', {}, []],
    ['its status', { status: 'In progress' }, ['TICKET_STATUS_CHANGED']],
    ['its priority', { priority: null }, ['TICKET_PRIORITY_CHANGED']],
    ['its board', { board: 'Projects' }, ['TICKET_QUEUE_CHANGED']],
    ['its assignee', { assignee_psa_id: null }, ['TICKET_ASSIGNEE_CHANGED']],
    ['its type', { type: 'Request' }, ['TICKET_TYPE_CHANGED']],
    ['its category', { category: 'Software' }, ['TICKET_TYPE_CHANGED']],
    ['its type and category', { type: 'Request', category: 'Software' }, ['TICKET_TYPE_CHANGED']],
    ['its company', { psa_company_id: 'c2' }, ['TICKET_COMPANY_CHANGED']],
    ['its contact', { contact_id: null }, ['TICKET_CONTACT_CHANGED']],
    ['its title', { title: 'Printers' }, ['TICKET_SUMMARY_CHANGED']],
    ['its text', { description: 'It burns.' }, ['TICKET_OTHER_CHANGED']],
    ['something that is not read', { updated_at: at(1) }, ['TICKET_OTHER_CHANGED']],
    ['its end', { closed_at: at(1) }, ['TICKET_CLOSED']],
    [
      'its end with a status',
      { closed_at: at(1), status: 'Closed', updated_at: at(1) },
      ['TICKET_STATUS_CHANGED', 'TICKET_CLOSED'],
    ],
    ['a merge', { merged_into_ticket_id: '2', closed_at: at(1) }, ['TICKET_MERGED', 'TICKET_CLOSED']],
    [
      'several fields at once',
      { status: 'X', priority: 'High' },
      ['TICKET_STATUS_CHANGED', 'TICKET_PRIORITY_CHANGED'],
    ],
  ])('are told by what differs: %s', (_name, ticket, expected) => {
    expect(codes(known(), read(ticket))).toEqual(expected)
  })

  test('are its being opened again', () => {
    const closed = known(read({ closed_at: at(0), status: 'Closed' }))
    expect(codes(closed, read())).toEqual(['TICKET_STATUS_CHANGED', 'TICKET_REOPENED'])
  })

  test('are notes by who wrote them, and files if they are read', () => {
    const before = known(read({}, { notes: [note('n1')], attachments: [] }))
    const notes = [
      note('n1'),
      note('n2', { author_name: ' ADA byron ' }),
      note('n3', { author_name: 'Tom' }),
      note('n4', { is_internal: true }),
    ]
    const file = { attachment_id: 'f', file_name: 'a.txt', bytes: 1 }
    expect(codes(before, read({}, { notes, attachments: [file] }))).toEqual([
      'TICKET_CUSTOMER_REPLIED',
      'TICKET_TECHNICIAN_REPLIED',
      'TICKET_INTERNAL_NOTE_ADDED',
      'TICKET_ATTACHMENT_ADDED',
    ])
    expect(codes(before, read({}, { notes: [note('n1')], attachments: null }))).toEqual([])
    expect(codes(before, read({}, { notes }), UPDATED, null)).not.toContain('TICKET_CUSTOMER_REPLIED')
  })

  test('are replies of any contact, if the PSA tells who wrote them', () => {
    const notes = [
      note('n1', { author_name: 'Tom', author_side: 'CONTACT', author_contact_id: 'p2' }),
      note('n2', { author_side: 'TECHNICIAN' }),
      note('n3', { author_side: 'CONTACT', is_internal: true }),
    ]
    const replied = (given: typeof notes) => codes(known(), read({}, { notes: given }))
    expect(notes.flatMap((one) => replied([one]))).toEqual([
      'TICKET_CUSTOMER_REPLIED',
      'TICKET_TECHNICIAN_REPLIED',
      'TICKET_INTERNAL_NOTE_ADDED',
    ])
    expect(needsContact(known(), read({}, { notes }))).toBe(false)
    expect(needsContact(known(), read({}, { notes: [...notes, note('n4')] }))).toBe(true)
  })

  test('are none for old notes of which the ids are not kept', () => {
    const notes = Array.from({ length: MAX_KEPT + 5 }, (_, n) => note(`n${n}`, { created_at: at(n) }))
    expect(codes(known(read({}, { notes })), read({}, { notes }))).toEqual([])
    const more = [...notes, note('new', { created_at: at(1000) })]
    expect(codes(known(read({}, { notes })), read({}, { notes: more }))).toEqual(['TICKET_CUSTOMER_REPLIED'])
  })

  test('are its creation, once, in whatever order its events come', () => {
    expect(codes(null, read(), CREATED)).toEqual(['TICKET_CREATED'])
    expect(codes(null, read({ created_at: at(0) }), { ...UPDATED, action: 'UNKNOWN' })).toEqual([
      'TICKET_CREATED',
    ])
    expect(codes(known(read(), false), read(), CREATED)).toEqual(['TICKET_CREATED'])
    expect(codes(known(read(), true), read(), CREATED)).toEqual([])
    expect(codes(known(read(), false), read({ status: 'X' }), CREATED)).toEqual([
      'TICKET_CREATED',
      'TICKET_STATUS_CHANGED',
    ])
  })

  test('of one that nothing is known of are those whose own time is that of the update', () => {
    const notes = [note('old', { created_at: LONG_AGO }), note('new', { created_at: at(4) })]
    expect(codes(null, read({ updated_at: at(5) }, { notes }))).toEqual(['TICKET_CUSTOMER_REPLIED'])
    expect(codes(null, read({ updated_at: at(5), closed_at: at(5) }))).toEqual(['TICKET_CLOSED'])
    expect(codes(null, read({ updated_at: at(30) }, { notes }))).toEqual(['TICKET_OTHER_CHANGED'])
  })

  const tickets = fc.record({
    status: fc.constantFrom('New', 'Closed'),
    priority: fc.constantFrom(null, 'Low', 'High'),
    board: fc.constantFrom(null, 'A', 'B'),
    title: fc.string(),
    description: fc.option(fc.string()),
    assignee_psa_id: fc.option(fc.nat(3)),
    closed_at: fc.constantFrom(null, at(1), at(2)),
    updated_at: fc.nat(50).map(at),
  })
  const reads = fc
    .record({ ticket: tickets, notes: fc.uniqueArray(fc.nat(9)) })
    .map(({ ticket, notes }) => read(ticket, { notes: notes.sort().map((n) => note(`n${n}`)) }))

  test('are none between a version and itself, some between two that differ, each once and of the catalogue', () => {
    fc.assert(
      fc.property(reads, reads, (before, after) => {
        expect(codes(known(before), before)).toEqual([])
        const found = codes(known(before), after)
        expect(new Set(found).size).toBe(found.length)
        expect(CHANGE_TYPES).toEqual(expect.arrayContaining(found))
        const fields = ({ ticket }: ReadTicket) =>
          JSON.stringify({ ...ticket, closed_at: ticket.closed_at !== null })
        if (fields(before) !== fields(after)) expect(found.length).toBeGreaterThan(0)
      }),
    )
  })

  test('keep no free text', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 30 }), (secret) => {
        const kept = versionOfTicket(
          read(
            { title: secret, description: secret, resolution: secret },
            { notes: [note('n', { text: secret, author_name: secret })] },
          ),
        )
        expect(JSON.stringify(kept)).not.toContain(JSON.stringify(secret).slice(1, -1))
      }),
    )
  })
})

const ENTRY: PsaTimeEntry = {
  time_entry_id: 't1',
  ticket_id: '1',
  psa_company_id: 'c1',
  technician_psa_id: 7,
  minutes: 30,
  note: 'Done',
  agreement: null,
  returned_reason: null,
  started_at: LONG_AGO,
  created_at: LONG_AGO,
}

test.each<[string, boolean | null, Partial<PsaTimeEntry> | null, Event['action'], string[]]>([
  ['unknown and old', null, {}, 'UPDATED', ['TIME_ENTRY_UPDATED']],
  ['unknown and announced', null, {}, 'CREATED', ['TIME_ENTRY_CREATED']],
  ['unknown and of now', null, { created_at: at(0) }, 'UNKNOWN', ['TIME_ENTRY_CREATED']],
  ['the same', true, {}, 'UPDATED', []],
  ['changed', true, { minutes: 31 }, 'UPDATED', ['TIME_ENTRY_UPDATED']],
  ['known and announced late', false, {}, 'CREATED', ['TIME_ENTRY_CREATED']],
  ['known and gone', true, null, 'UPDATED', ['TIME_ENTRY_DELETED']],
  ['unknown and gone', null, null, 'DELETED', ['TIME_ENTRY_DELETED']],
  ['never seen', null, null, 'UPDATED', []],
])('the change of a time entry that is %s', (_name, is_announced, entry, action, expected) => {
  const before = is_announced === null ? null : { version: versionOfTimeEntry(ENTRY), is_announced }
  const changes = changesOfTimeEntry(before, entry && { ...ENTRY, ...entry }, { action, received_at: at(10) })
  expect(changes.map(({ code }) => code)).toEqual(expected)
})

/** The ids of technicians in the PSA. */
const PSA_IDS = new Map([[3, 9]])

const write = (tool_name: string, args: object, result: object | null = {}) => ({
  tool_name,
  arguments: args,
  result,
})

test.each<[string, Partial<PsaTicket>, ReturnType<typeof write>[], string[]]>([
  ['a status', { status: 'X' }, [write('ticket.set_status', { status: 'X' })], ['TICKET_STATUS_CHANGED']],
  ['another status than the agent set', { status: 'Y' }, [write('ticket.set_status', { status: 'X' })], []],
  ['a status that no agent set', { status: 'X' }, [], []],
  [
    'an end',
    { status: 'Closed', closed_at: at(1) },
    [write('ticket.close', {}, null)],
    ['TICKET_STATUS_CHANGED', 'TICKET_CLOSED'],
  ],
  [
    'an assignee',
    { assignee_psa_id: 9 },
    [write('ticket.assign', { technician_id: 3 })],
    ['TICKET_ASSIGNEE_CHANGED'],
  ],
  [
    'no technician whom the ticket got after the assignment',
    { assignee_psa_id: 8 },
    [write('ticket.assign', { technician_id: 3 })],
    [],
  ],
  [
    'no removal of a technician who is deleted',
    { assignee_psa_id: null },
    [write('ticket.assign', { technician_id: 4 })],
    [],
  ],
  [
    'the removal of the technician',
    { assignee_psa_id: null },
    [write('ticket.assign', { technician_id: null })],
    ['TICKET_ASSIGNEE_CHANGED'],
  ],
  [
    'no technician whom the ticket got after the removal',
    { assignee_psa_id: 9 },
    [write('ticket.assign', { technician_id: null })],
    [],
  ],
  [
    'one of two changes',
    { board: 'B', priority: 'High' },
    [write('ticket.set_queue', { queue: 'B' })],
    ['TICKET_QUEUE_CHANGED'],
  ],
  [
    'the time of the update, by a time entry',
    { updated_at: at(1) },
    [write('time_entry.create', {})],
    ['TICKET_OTHER_CHANGED'],
  ],
  [
    'a merge',
    { merged_into_ticket_id: '2' },
    [write('ticket.merge', { into_ticket_id: '2' })],
    ['TICKET_MERGED'],
  ],
])('agents made %s', (_name, ticket, writes, expected) => {
  const now = read(ticket)
  expect(ownChangesOfTicket(changesOfTicket(known(), now, UPDATED, null), now, writes, PSA_IDS)).toEqual(
    expected,
  )
})

test('agents made the notes that have a marker, and those that calls name; one note of another makes the change another’s', () => {
  const own = (notes: PsaNote[], writes: ReturnType<typeof write>[] = []) => {
    const now = read({}, { notes })
    return ownChangesOfTicket(changesOfTicket(known(), now, UPDATED, null), now, writes, PSA_IDS)
  }
  const replied = ['TICKET_TECHNICIAN_REPLIED']
  expect(own([note('n1', { made_by_key: 'call_1' })])).toEqual(replied)
  expect(own([note('n1')], [write('ticket.add_note', {}, { note_id: 'n1' })])).toEqual(replied)
  expect(own([note('n1')], [write('message.send', {}, { message_id: 'n1' })])).toEqual(replied)
  expect(own([note('n1')], [write('ticket.add_note', { text: 'Hello ' }, null)])).toEqual(replied)
  expect(own([note('n1', { made_by_key: 'call_1' }), note('n2')])).toEqual([])
  const made = read({ made_by_key: 'call_2' })
  expect(ownChangesOfTicket([{ code: 'TICKET_CREATED' }], made, [], PSA_IDS)).toEqual(['TICKET_CREATED'])
})

test.each([
  ['has the words of a call', note('n1'), write('ticket.add_note', { text: 'Hello' }, null), []],
  [
    'was made by a call',
    note('n1'),
    write('ticket.add_note', {}, { note_id: 'n1' }),
    ['TICKET_CUSTOMER_REPLIED'],
  ],
  [
    'has a marker',
    note('n1', { made_by_key: 'call_1' }),
    write('ticket.close', {}),
    ['TICKET_CUSTOMER_REPLIED'],
  ],
] as const)('a note in the name of the contact that %s', (_how, written, made, expected) => {
  const now = read({}, { notes: [written] })
  const changes = changesOfTicket(known(), now, UPDATED, 'Ada Byron')
  expect(changes.map(({ code }) => code)).toEqual(['TICKET_CUSTOMER_REPLIED'])
  expect(ownChangesOfTicket(changes, now, [made], PSA_IDS)).toEqual(expected)
})

test('agents made the time entries that name no technician', () => {
  const created = [{ code: 'TIME_ENTRY_CREATED' as const }]
  expect(ownChangesOfTimeEntry(created, { ...ENTRY, technician_psa_id: null }, [])).toEqual([
    'TIME_ENTRY_CREATED',
  ])
  expect(ownChangesOfTimeEntry(created, ENTRY, [])).toEqual([])
})
