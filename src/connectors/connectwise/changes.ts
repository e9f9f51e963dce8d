/** The changes in ConnectWise PSA since an instant. Sources as in `api.ts`. */
import { z } from 'zod'
import { count, placeInTime } from '../http/forms.ts'
import type { ChangeSearch, DirectoryPage, Psa, PsaChange } from '../psa.ts'
import { type Api, instant } from './api.ts'
import { dateOf, every } from './conditions.ts'
import { ON_TICKET } from './tickets.ts'

const PAGE = 500

const CHANGED = z.object({ id: count, _info: z.object({ lastUpdated: placeInTime }) })

export function changesOf(api: Api): Pick<Psa, 'ticketChangePage' | 'timeEntryChangePage'> {
  // Pages that are asked for forwards take no order: the place after which to go on is a condition. [DG]
  const changed =
    (path: string, condition: string | null) =>
    async ({ changed_since, after }: ChangeSearch): Promise<DirectoryPage<PsaChange>> => {
      const [second, id] = after?.split(' ') ?? []
      const rows = await api.page(CHANGED, path, {
        conditions: every(
          condition,
          after === null
            ? `lastUpdated>=${dateOf(changed_since)}`
            : `(lastUpdated>${second} or (lastUpdated=${second} and id>${id}))`,
        ),
        orderBy: '_info/lastUpdated asc, id asc',
        pageSize: PAGE,
        fields: 'id,_info/lastUpdated',
      })
      const changes = rows.map((row) => ({
        entity_id: String(row.id),
        changed_at: instant(row._info.lastUpdated),
      }))
      const last = changes.at(-1)
      const next = last && changes.length === PAGE ? `${dateOf(last.changed_at)} ${last.entity_id}` : null
      return { rows: changes, next }
    }
  return {
    ticketChangePage: changed('/service/tickets', null),
    timeEntryChangePage: changed('/time/entries', ON_TICKET),
  }
}
