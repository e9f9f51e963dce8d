/** The promises of the port to a PSA about the authors of notes, by which every adapter is tried. */
import { describe, expect, it } from 'vitest'
import type { PsaNote } from '../../../src/connectors/psa.ts'
import { ADAPTERS } from './fixture.ts'

describe.each(ADAPTERS)('notes of the PSA %s', (_name, setUp) => {
  it('name the side that wrote them, if it is told', async () => {
    const { psa, addTickets, addNotes, can } = await setUp()
    await addTickets([{ ticket_id: '1', psa_company_id: 'psa_a', contact_id: '11' }])
    await addNotes('1')
    const nobody = { author_side: null, author_contact_id: null }
    const told = [
      { author_side: 'CONTACT', author_contact_id: '13' },
      { author_side: 'TECHNICIAN', author_contact_id: null },
      nobody,
    ]
    const sidesOf = (notes: readonly PsaNote[]) =>
      notes
        .toSorted((one, other) => (one.text < other.text ? -1 : 1))
        .map(({ author_side, author_contact_id }) => ({ author_side, author_contact_id }))
    const expected = can.tell_authors ? told : told.map(() => nobody)
    expect(sidesOf(await psa.notesOf('1'))).toEqual(expected)
    const [read] = await psa.ticketsWithNotes(['1'])
    expect(sidesOf(read?.notes ?? [])).toEqual(expected)
  })
})
