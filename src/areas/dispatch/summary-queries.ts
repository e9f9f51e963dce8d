/** The SQL of the summary: the decisions of a window, as a whole and by the technicians who were suggested. */
import { select } from '../../db/query/fragment.ts'
import type { Context } from '../../gateway/context.ts'
import type { Window } from '../../lib/window.ts'
import { restrictedUserOf, SEEN_OR_NONE } from '../../schema/lists/of-agents.ts'
import { technicianName } from '../technicians/index.ts'
import type { Counts } from './summary-rules.ts'

/** The most technicians in one answer. */
export const MAX_TECHNICIANS = 200

const COUNTED: Readonly<Record<keyof Counts, string>> = {
  decisions: 'true',
  applied: "d.status = 'APPLIED'",
  overridden: "d.status = 'OVERRIDDEN'",
  expired: "d.status = 'EXPIRED' and d.suggested_technician_id is not null",
  // Contract silent: a decision that fitted nobody counts as such until a person chooses somebody, whoever gets the ticket in the PSA.
  none_fits: "d.status <> 'OVERRIDDEN' and d.suggested_technician_id is null",
  // Contract silent: a decision that suggested nobody says nothing of suggestions, whoever was chosen then.
  accepted: "d.status = 'APPLIED' and not d.is_automatic and d.suggested_technician_id is not null",
  declined: "d.status = 'OVERRIDDEN' and not d.is_automatic and d.suggested_technician_id is not null",
}

const NAMES = Object.keys(COUNTED)

const COUNTS = Object.entries(COUNTED)
  .map(([name, condition]) => `(count(*) filter (where ${condition}))::int as ${name}`)
  .join(', ')

const SUMS = NAMES.map((name) => `coalesce(sum(${name}), 0)::int as ${name}`).join(', ')

/** The row without a technician is the whole; the technicians follow, those who were suggested most first. */
const textOf = (and: string): string => `with counted as (
    select $1::text as tenant_id, $2::text as environment, d.suggested_technician_id as technician_id, ${COUNTS}
    from dispatch_decision d
    where d.tenant_id = $1 and d.environment = $2 and d.created_at >= $from::timestamptz
      and d.created_at < $to::timestamptz${and}
    group by 3
  )
  select * from (
    select null::int as technician_id, null::text as name, ${SUMS} from counted
    union all
    select technician_id, ${technicianName('c', 'technician_id')}, ${NAMES.join(', ')}
    from (
      select * from counted where technician_id is not null
      order by decisions desc, technician_id limit ${MAX_TECHNICIANS + 1}
    ) c
  ) r order by technician_id is not null, decisions desc, technician_id`

const OF_ALL = textOf('')
const OF_SEEN = textOf(` and d.agent_or_none = any(array${SEEN_OR_NONE})`)

/** The decisions that suggested one technician; null is all of them. */
export interface Counted extends Counts {
  technician_id: number | null
  name: string | null
}

/** The decisions of the window that the caller sees, first as a whole and then by technician. */
export async function countDecisions(ctx: Context, window: Window): Promise<Counted[]> {
  const user = restrictedUserOf(ctx)
  const text = user === null ? OF_ALL : OF_SEEN
  return await select<Counted>(ctx, 'dispatch_summary', { text }, { ...window, user })
}
