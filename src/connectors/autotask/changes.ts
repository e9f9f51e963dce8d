/** The changes in Autotask PSA since an instant. Sources as in `api.ts`. */

import { text } from '../http/forms.ts'
import type { ChangeSearch, DirectoryPage, Psa, PsaChange } from '../psa.ts'
import { IDENTIFIED, instant } from './answers.ts'
import type { Api } from './api.ts'
import { earliest } from './order.ts'
import { exists, type Filter } from './query.ts'

const CHANGED = IDENTIFIED.extend({ lastActivityDate: text, lastModifiedDateTime: text })

const PAGE = 1000

export function changesOf(api: Api): Pick<Psa, 'ticketChangePage' | 'timeEntryChangePage'> {
  const changed =
    (entity: string, field: 'lastActivityDate' | 'lastModifiedDateTime', conditions: readonly Filter[]) =>
    async ({ changed_since, after }: ChangeSearch): Promise<DirectoryPage<PsaChange>> => {
      const [time, id] = after?.split(' ') ?? []
      const place =
        time === undefined ? { at: changed_since, id: -1 } : { at: new Date(time), id: Number(id) }
      const fields = ['id', field]
      const search = { entity, conditions, field, fields, place, limit: PAGE }
      const { rows, is_last } = await earliest(api, CHANGED, search)
      const changes = rows.map((row) => ({ entity_id: String(row.id), changed_at: instant(row[field]) }))
      const last = changes.at(-1)
      const next = last && !is_last ? `${last.changed_at.toISOString()} ${last.entity_id}` : null
      return { rows: changes, next }
    }
  return {
    // Notes and time entries are activities of their ticket. [HP TicketsEntity]
    ticketChangePage: changed('Tickets', 'lastActivityDate', []),
    timeEntryChangePage: changed('TimeEntries', 'lastModifiedDateTime', [exists('ticketID')]),
  }
}
