/** Time entries in the PSA. */
import { inPsa } from '../acting.ts'
import { known } from '../failure.ts'

export const TIME_ENTRY_ACTS = {
  'time_entry.read': inPsa(async (psa, args: { time_entry_id: string }) => {
    const entry = known(await psa.timeEntry(args.time_entry_id), 'time_entry_not_found')
    const { time_entry_id, ticket_id, minutes, note } = entry
    return { time_entry_id, ticket_id, minutes, note: note || null, agreement: null }
  }),
  'time_entry.list': inPsa(async (psa, { ticket_id }: { ticket_id: string }) => {
    known(await psa.ticket(ticket_id), 'ticket_not_found')
    const entries = await psa.timeEntriesOf(ticket_id)
    return { time_entries: entries.map(({ time_entry_id, minutes }) => ({ time_entry_id, minutes })) }
  }),
}
