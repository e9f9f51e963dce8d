/** The writes of the port to a PSA, as its tests make them. */
import type { Psa, PsaWrite } from '../../../src/connectors/psa.ts'
import { ago } from './fixture.ts'

export const note = { author_name: 'Agent', is_internal: true, text: 'Looked at it.' }
export const entry = { technician_psa_id: 7, minutes: 15, note: null, started_at: ago(0.1) }
const draft = { psa_company_id: 'psa_b', contact_id: null, title: 'New', description: 'x', board: null }
const message = { contact_id: '11', ticket_id: '1', author_name: 'Agent', subject: 'x', body: 'x' }
export interface Written {
  write: (psa: Psa, key: string, time_entry_id: string) => Promise<unknown>
  of: (time_entry_id: string) => PsaWrite
}
/** Every write of the port, and what the PSA is asked about it. */
export const WRITES: Partial<Record<keyof Psa, Written>> = {
  addNote: { write: (psa, key) => psa.addNote('1', note, key), of: () => ({ note_on: '1' }) },
  addTimeEntry: { write: (psa, key) => psa.addTimeEntry('1', entry, key), of: () => ({ time_on: '1' }) },
  updateTicket: {
    write: (psa, key) => psa.updateTicket('1', { priority: 'P1' }, key),
    of: () => ({ ticket_id: '1', changes: { priority: 'P1' } }),
  },
  createTicket: { write: (psa, key) => psa.createTicket(draft, key), of: () => 'NEW_TICKET' },
  mergeTicket: {
    write: (psa, key) => psa.mergeTicket('1', '2', key),
    of: () => ({ ticket_id: '1', into_ticket_id: '2' }),
  },
  setAgreement: {
    write: (psa, key, time_entry_id) => psa.setAgreement(time_entry_id, 'Projects', key),
    of: (time_entry_id) => ({ time_entry_id, agreement: 'Projects' }),
  },
  returnTimeEntry: {
    write: (psa, key, time_entry_id) => psa.returnTimeEntry(time_entry_id, 'x', key),
    of: (time_entry_id) => ({ time_entry_id, agreement: null }),
  },
  sendMessage: { write: (psa, key) => psa.sendMessage(message, key), of: () => ({ note_on: '1' }) },
}
