/** What changed in the local PSA since when. */
import { scoped, sql } from '../../db/db.ts'
import { type PortContext, PortRefusal } from '../port.ts'
import type { Psa, PsaChange } from '../psa.ts'

const PAGE = 500

const TICKETS = scoped(
  'psa.ticket_change_page',
  `select t.ticket_id as entity_id, t.updated_at as changed_at from psa_ticket t
   where t.tenant_id = $1 and t.environment = $2 and (t.updated_at, t.ticket_id) > ($3::timestamptz, $4::text)
   order by t.updated_at, t.ticket_id limit ${PAGE}`,
)

export const changesOf = (ctx: PortContext): Pick<Psa, 'ticketChangePage' | 'timeEntryChangePage'> => ({
  async ticketChangePage({ changed_since, after }) {
    const [at, id] = after?.split(' ') ?? [changed_since, '']
    const rows = await sql<PsaChange>(ctx, TICKETS, [at, id])
    const last = rows.at(-1)
    const next = last && rows.length === PAGE ? `${last.changed_at.toISOString()} ${last.entity_id}` : null
    return { rows, next }
  },
  // It keeps when a time entry was made, and not when it changed.
  timeEntryChangePage: () => Promise.reject(new PortRefusal('NOT_SUPPORTED')),
})
