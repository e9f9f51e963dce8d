/** Time entries in the PSA. */

import { requireFound } from '../failure.ts'
import { inPsa } from '../tool-context.ts'

interface OfTimeEntry {
  time_entry_id: string
}

const MINUTE_MS = 60_000

export const TIME_ENTRY_EXECUTORS = {
  'time_entry.read': inPsa(async (psa, args: OfTimeEntry) => {
    const entry = requireFound(await psa.timeEntry(args.time_entry_id), 'time_entry_not_found')
    const { time_entry_id, ticket_id, minutes, note, agreement } = entry
    return { time_entry_id, ticket_id, minutes, note: note || null, agreement }
  }),
  'time_entry.list': inPsa(async (psa, { ticket_id }: { ticket_id: string }) => {
    const entries = await psa.timeEntriesOf(ticket_id)
    if (entries.length === 0) requireFound(await psa.listedTicket(ticket_id), 'ticket_not_found')
    return { time_entries: entries.map(({ time_entry_id, minutes }) => ({ time_entry_id, minutes })) }
  }),
  // Contract silent: the work of an agent is no technician's, and ends when it is entered.
  'time_entry.create': inPsa(
    async (psa, args: { ticket_id: string; minutes: number; note: string }, { ctx, key }) => {
      const { ticket_id, minutes, note } = args
      const started_at = new Date(ctx.now.getTime() - minutes * MINUTE_MS)
      const entry = await psa.addTimeEntry(
        ticket_id,
        { technician_psa_id: null, minutes, note, started_at },
        key,
      )
      return { time_entry_id: entry.time_entry_id }
    },
    ({ ticket_id }) => ({ time_on: ticket_id }),
  ),
  'time_entry.set_agreement': inPsa(
    async (psa, args: OfTimeEntry & { agreement: string }, { key }) => {
      const { time_entry_id } = await psa.setAgreement(args.time_entry_id, args.agreement, key)
      return { time_entry_id }
    },
    ({ time_entry_id, agreement }) => ({ time_entry_id, agreement }),
  ),
  'time_entry.return': inPsa(
    async (psa, args: OfTimeEntry & { reason: string }, { key }) => {
      const { time_entry_id } = await psa.returnTimeEntry(args.time_entry_id, args.reason, key)
      return { time_entry_id }
    },
    ({ time_entry_id }) => ({ time_entry_id, agreement: null }),
  ),
}
