import { describe, expect, it } from 'vitest'
import { ToolFailure } from '../../src/tools/execute.ts'
import type { ToolName } from '../../src/tools/registry.ts'
import { addCompanies } from '../setup/companies.ts'
import { addPsaContacts, addPsaTechnicians, addPsaTickets, psaOfTenant } from '../setup/psa.ts'
import { toolCallsFor } from '../setup/tool-calls.ts'
import { world } from '../setup/world.ts'

async function desk() {
  const msp = await world()
  await addCompanies(msp, [{ id: 'a', name: 'Alpha' }])
  await addPsaTechnicians(msp, [{ psa_id: 7, name: 'Gus' }])
  await addPsaContacts(msp, [
    { contact_id: '11', psa_company_id: 'psa_a', name: 'Ada', email: 'ada@a.example' },
  ])
  await addPsaTickets(msp, [
    {
      ticket_id: '1',
      title: 'Printer',
      description: 'It jams.',
      priority: 'P3',
      board: 'Desk',
      psa_company_id: 'psa_a',
      contact_id: '11',
      assignee_psa_id: 7,
    },
    { ticket_id: '2' },
  ])
  return { msp, ...toolCallsFor(msp), psa: psaOfTenant(msp) }
}

describe('a ticket', () => {
  it('is read with the names of its company, contact and technician', async () => {
    const { call } = await desk()
    expect(await call('ticket.read', { ticket_id: '1' })).toMatchObject({
      ticket_id: '1',
      title: 'Printer',
      description: 'It jams.',
      status: 'New',
      priority: 'P3',
      board: 'Desk',
      company: 'Alpha',
      contact: 'Ada',
      assignee: 'Gus',
    })
    expect(await call('ticket.read', { ticket_id: '2' })).toMatchObject({ company: null, contact: null })
  })

  it('gets notes in the name of the agent, for technicians alone or for the contact too', async () => {
    const { call } = await desk()
    await call('ticket.add_note', { ticket_id: '1', text: 'One', visibility: 'INTERNAL' })
    const { note_id } = await call('ticket.add_note', { ticket_id: '1', text: 'Two', visibility: 'PUBLIC' })
    const { notes } = await call('ticket.list_notes', { ticket_id: '1' })
    expect(notes).toHaveLength(2)
    // Notes of one millisecond are in the order of their ids, which are random.
    expect(notes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ text: 'One', visibility: 'INTERNAL', author: 'Triage' }),
        expect.objectContaining({ note_id, text: 'Two', visibility: 'PUBLIC' }),
      ]),
    )
  })

  it.each([
    ['ticket.set_status', { status: 'In progress' }, { status: 'In progress', closed_at: null }],
    ['ticket.set_priority', { priority: 'P1' }, { priority: 'P1' }],
    ['ticket.set_queue', { queue: 'Projects' }, { board: 'Projects' }],
    [
      'ticket.close',
      { resolution: 'Done.' },
      { status: 'Closed', closed_at: expect.any(Date), resolution: 'Done.' },
    ],
  ] as const)('is changed by %s', async (name, args, changed) => {
    const { call, psa } = await desk()
    const before = await psa.ticket('1')
    await call(name, { ticket_id: '1', ...args })
    const updated_at = expect.any(Date)
    expect(await psa.ticket('1')).toEqual({ ...before, updated_at, ...changed })
  })
})

it.each([
  ['ticket.read', { ticket_id: 'x' }, 'ticket_not_found'],
  ['ticket.list_notes', { ticket_id: 'x' }, 'ticket_not_found'],
  ['ticket.add_note', { ticket_id: 'x', text: 'x', visibility: 'INTERNAL' }, 'ticket_not_found'],
  ['ticket.set_priority', { ticket_id: 'x', priority: 'P1' }, 'ticket_not_found'],
  ['ticket.set_status', { ticket_id: '1', status: 'x' }, 'status_not_found'],
  ['ticket.close', { ticket_id: 'x', resolution: 'x' }, 'ticket_not_found'],
  ['time_entry.list', { ticket_id: 'x' }, 'ticket_not_found'],
  ['time_entry.read', { time_entry_id: 'x' }, 'time_entry_not_found'],
  ['contact.read', { contact_id: 'x' }, 'contact_not_found'],
] as const satisfies [ToolName, Record<string, unknown>, string][])(
  '%s %o fails with %s',
  async (name, args, code) => {
    const { call } = await desk()
    const failure = await call(name, args).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ToolFailure)
    expect(failure).toMatchObject({ code, kind: 'AGENT', may_have_acted: false })
  },
)

it('a write with the same key is made once, and its outcome is known', async () => {
  const { call, outcome, psa } = await desk()
  const note = { ticket_id: '1', text: 'Once', visibility: 'INTERNAL' }
  expect(await outcome('ticket.add_note', 'k')).toBe('NOT_MADE')
  const first = await call('ticket.add_note', note, 'k')
  expect(await call('ticket.add_note', note, 'k')).toEqual(first)
  expect(await psa.notesOf('1')).toHaveLength(1)
  expect(await outcome('ticket.add_note', 'k')).toBe('MADE')
})
