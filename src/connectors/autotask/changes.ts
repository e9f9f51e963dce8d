/** What changed in Autotask PSA since when. Sources as in `api.ts`. */
import type { ChangeSearch, DirectoryPage, Psa, PsaChange } from '../psa.ts'
import { type Api, type Identified, instant } from './api.ts'
import { exists, type Filter, filters, since } from './query.ts'

const PAGE = 1000

type ChangedRow = Identified & Readonly<Record<string, string | null | undefined>>

/** There is no order but that of ids [HP]: all that changed is read, ids and times alone, for every page. */
export function changesOf(api: Api): Pick<Psa, 'ticketChangePage' | 'timeEntryChangePage'> {
  const changed =
    (entity: string, field: string, condition: Filter | null) =>
    async ({ changed_since, after }: ChangeSearch): Promise<DirectoryPage<PsaChange>> => {
      const [time, last_id] = after?.split(' ') ?? []
      const from = time === undefined ? changed_since : new Date(time)
      const rows = await api.all<ChangedRow>(entity, filters(condition, since(field, from)), ['id', field])
      const order = (one: Place, other: Place): number =>
        one.at.getTime() - other.at.getTime() || one.id - other.id
      const place = { at: from, id: last_id === undefined ? -1 : Number(last_id) }
      const places = rows
        .map((row): Place => ({ id: row.id, at: instant(row[field] as string | null) }))
        .filter((one) => order(one, place) > 0)
        .sort(order)
      const page = places.slice(0, PAGE)
      const last = page.at(-1)
      return {
        rows: page.map(({ id, at }) => ({ entity_id: String(id), changed_at: at })),
        next: last && places.length > PAGE ? `${last.at.toISOString()} ${last.id}` : null,
      }
    }
  return {
    // Notes and time entries are activities of their ticket. [HP TicketsEntity]
    ticketChangePage: changed('Tickets', 'lastActivityDate', null),
    timeEntryChangePage: changed('TimeEntries', 'lastModifiedDateTime', exists('ticketID')),
  }
}

interface Place {
  id: number
  at: Date
}
