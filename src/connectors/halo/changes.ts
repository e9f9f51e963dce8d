/** The changes in HaloPSA since an instant. Sources as in `api.ts`. */

import { idOf } from '../ids.ts'
import { PortRefusal } from '../port.ts'
import type { Psa } from '../psa.ts'
import type { Api } from './api.ts'
import { updatedOf } from './rows.ts'
import { changedAfter } from './tickets.ts'

const ROWS = 500

export const changesOf = (api: Api): Pick<Psa, 'ticketChangePage' | 'timeEntryChangePage'> => ({
  async ticketChangePage({ changed_since, after }) {
    const [at, id] = after?.split(' ') ?? []
    // What changed at the first instant itself is wanted too: its ids are after 0.
    const place = at ? { at: new Date(at), id: idOf(id ?? '') ?? 0 } : { at: changed_since, id: 0 }
    const rows = await changedAfter(api, {}, place, ROWS)
    const changes = rows.map((row) => ({ entity_id: String(row.id), changed_at: updatedOf(row) }))
    const last = changes.at(-1)
    const next = changes.length === ROWS && last ? `${last.changed_at.toISOString()} ${last.entity_id}` : null
    return { rows: changes, next }
  },
  // Actions are found by the time of the work, and by nothing that says when they were changed. [SW]
  timeEntryChangePage: () => Promise.reject(new PortRefusal('NOT_SUPPORTED')),
})
