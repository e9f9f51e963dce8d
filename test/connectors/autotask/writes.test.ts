import { describe, expect, it } from 'vitest'
import { PortUnavailable } from '../../../src/connectors/port.ts'
import { company, draft, NOW, type Served, serve, ticket } from './fixture.ts'

describe('a write to Autotask PSA', () => {
  async function withTicket(): Promise<Served> {
    const served = await serve()
    served.double.add('Companies', [company(1)])
    served.double.add('Tickets', [ticket(5, { externalID: 'RMM-77' })])
    return served
  }
  const note = { author_name: 'Agent', is_internal: false, text: 'Done.' }

  it('finds what it wrote by its marker, if the answer was lost', async () => {
    const { double, psa } = await withTicket()
    await psa.ticketStatuses()
    double.faults.push(null, null, 'LOST')
    await expect(psa.createTicket(draft, 'k')).rejects.toBeInstanceOf(PortUnavailable)
    expect(await psa.outcomeOf('k', 'NEW_TICKET')).toBe('MADE')
    const made = await psa.createTicket(draft, 'k')
    expect(await psa.createTicket(draft, 'k')).toEqual(made)
    expect(double.rowsOf('Tickets')).toHaveLength(2)
    expect(await psa.outcomeOf('other', 'NEW_TICKET', new Date(0))).toBe('NOT_MADE')
  })

  it('shows what it wrote though queries are late', async () => {
    const { double, psa } = await withTicket()
    double.delay(20)
    const made = await psa.createTicket(draft, 'k')
    expect(await psa.ticket(made.ticket_id)).toEqual(made)
    await psa.addNote(made.ticket_id, note, 'n')
    expect(double.rowsOf('TicketNotes')).toHaveLength(1)
    expect(await psa.ticketsWithNotes([made.ticket_id])).toMatchObject([{ ticket: made }])
    const asked_again_at = new Date(NOW.getTime() + 5000)
    expect(await psa.outcomeOf('k', 'NEW_TICKET')).toEqual({ asked_again_at })
  })

  it('says of tickets and notes which it made, whatever contacts write', async () => {
    const { double, psa } = await withTicket()
    const made = await psa.createTicket(draft, 'k')
    expect(made.made_by_key).toMatch(/^[0-9a-f]{14}$/)
    const { note_id } = await psa.addNote('5', note, 'n')
    const title = String(double.get('TicketNotes', Number(note_id))?.title)
    double.add('Contacts', [{ id: 1, companyID: 1, firstName: 'Ada', lastName: 'Byron' }])
    double.add('Resources', [{ id: 9, firstName: 'Gus', lastName: null }])
    const written = { ticketID: 5, description: 'x', publish: 1, createDateTime: '2026-11-01T12:00:01' }
    double.add('TicketNotes', [
      { ...written, id: 200_001, title, createdByContactID: 1 },
      { ...written, id: 200_002, title: 'Called', description: '', publish: 3, creatorResourceID: 9 },
    ])
    const notes = await psa.notesOf('5')
    expect(notes.map((one) => [one.author_name, one.is_internal, one.made_by_key !== undefined])).toEqual([
      ['Agent', false, true],
      ['Ada Byron', false, false],
      ['Gus', true, false],
    ])
    expect(notes[2]?.text).toBe('Called')
  })

  it('leaves the reference of another system as it is', async () => {
    const { double, psa } = await withTicket()
    const changed = await psa.updateTicket('5', { title: 'Other' }, 'k')
    expect(changed.title).toBe('Other')
    expect(changed.made_by_key).toBeUndefined()
    expect(double.get('Tickets', 5)?.externalID).toBe('RMM-77')
  })

  it('does not say that it made a ticket which it changed, and knows its last changes', async () => {
    const { double, psa } = await withTicket()
    double.add('Tickets', [ticket(6)])
    for (const key of ['a', 'b', 'c', 'd']) await psa.updateTicket('6', { title: key }, key)
    expect((await psa.updateTicket('6', { title: 'again' }, 'b')).title).toBe('d')
    expect((await psa.ticket('6'))?.made_by_key).toBeUndefined()
    expect(String(double.get('Tickets', 6)?.externalID).length).toBeLessThanOrEqual(50)
  })

  it('clears the sub-issue of another issue, and assigns by a role of the technician', async () => {
    const { double, psa } = await withTicket()
    double.add('Resources', [{ id: 7 }, { id: 8 }])
    double.add('ResourceServiceDeskRoles', [{ id: 1, resourceID: 7, roleID: 70, isActive: true }])
    double.add('Tickets', [ticket(6, { issueType: 10, subIssueType: 136 })])
    await psa.updateTicket('6', { category: 'Network', assignee_psa_id: 7 }, 'k')
    expect(double.get('Tickets', 6)).toMatchObject({ issueType: 11, subIssueType: null })
    expect(double.get('Tickets', 6)).toMatchObject({ assignedResourceID: 7, assignedResourceRoleID: 70 })
    const entry = { technician_psa_id: 7, minutes: 5, note: null, started_at: NOW }
    double.add('ResourceServiceDeskRoles', [
      { id: 2, resourceID: 7, roleID: 71, isActive: true, isDefault: true },
    ])
    expect(await psa.addTimeEntry('6', entry, 't')).toMatchObject({ technician_psa_id: 7, minutes: 5 })
    const without_role = psa.updateTicket('6', { assignee_psa_id: 8 }, 'k2')
    await expect(without_role).rejects.toMatchObject({ reason: 'NOT_SUPPORTED' })
    const nobody = psa.updateTicket('6', { assignee_psa_id: null }, 'k3')
    expect((await nobody).assignee_psa_id).toBeNull()
  })

  it('refuses a time entry of more than a day', async () => {
    const { double, psa } = await withTicket()
    double.add('Resources', [{ id: 7 }])
    double.add('ResourceServiceDeskRoles', [{ id: 1, resourceID: 7, roleID: 70, isActive: true }])
    const entry = { technician_psa_id: 7, minutes: 1441, note: null, started_at: NOW }
    await expect(psa.addTimeEntry('5', entry, 'k')).rejects.toMatchObject({ reason: 'NOT_SUPPORTED' })
    expect(await psa.addTimeEntry('5', { ...entry, minutes: 1440 }, 'k')).toMatchObject({ minutes: 1440 })
  })
})
