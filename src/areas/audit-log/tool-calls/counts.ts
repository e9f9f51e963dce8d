/** The SQL of summaries: the tool calls of a window, counted by one of their properties. */

import { ofVisibleAgents, restrictedUser } from '../../../access/policies/visibility.ts'
import { callerOf } from '../../../access/viewer.ts'
import { select } from '../../../db/query/fragment.ts'
import type { Context } from '../../../gateway/context.ts'
import type { Window } from '../../../lib/window.ts'
import { ZONE_OF_TENANT } from '../../settings/index.ts'
import type { Counts, GroupBy } from '../rules.ts'

/** The most groups in one answer. */
export const MAX_GROUPS = 200

interface Grouping {
  /** The SQL of the key by which calls are grouped. */
  key: string
  /** The SQL of the name of the group `g`. */
  label?: string
}

// Calls of a day are added up from quarters of an hour: at one of those the days of every zone begin.
const GROUPINGS: Record<GroupBy, Grouping> = {
  TOOL: {
    key: 'l.tool_name',
    label: `(select t.tool_title from audit_entry t
      where t.tenant_id = $1 and t.environment = $2 and t.tool_name = g.key
      order by t.occurred_at desc, t.sequence desc limit 1)`,
  },
  AGENT: {
    key: 'l.agent_id::text',
    label: '(select a.name from agent a where a.tenant_id = $1 and a.environment = $2 and a.id = g.key::int)',
  },
  SYSTEM: { key: 'l.system' },
  OUTCOME: { key: 'l.outcome::text' },
  DAY: { key: `date_bin('15 minutes', l.occurred_at, timestamptz 'epoch')` },
}

const VISIBLE = ofVisibleAgents('l.agent_id').text

const counted = (condition: string): string => `(count(*) filter (where ${condition}))::int`

/** The rows have the zone of the tenant; without calls there is one row, without a count. */
function textOf(group_by: GroupBy, and: string): string {
  const { key, label = 'null::text' } = GROUPINGS[group_by]
  const first = group_by === 'DAY' ? '' : ` order by total desc, key limit ${MAX_GROUPS + 1}`
  return `select z.timezone, g.key, ${label} as label, g.total, g.succeeded, g.failed, g.denied
    from (select ${ZONE_OF_TENANT} as timezone) z
    left join (
      select ${key} as key, count(*)::int as total, ${counted(`l.outcome = 'SUCCEEDED'`)} as succeeded,
        ${counted(`l.outcome in ('FAILED', 'TIMED_OUT')`)} as failed, ${counted(`l.outcome = 'DENIED'`)} as denied
      from audit_entry l
      where l.tenant_id = $1 and l.environment = $2 and l.occurred_at >= $from::timestamptz
        and l.occurred_at < $to::timestamptz${and}
      group by 1${first}
    ) g on true`
}

/** The calls with one key. */
export interface Counted<Key> extends Counts {
  key: Key
  label: string | null
}

/** The calls in the window of the agents that the caller sees, by their key, and the zone of the tenant. */
export async function countCalls<Key>(
  ctx: Context,
  { from, to }: Window,
  group_by: GroupBy,
): Promise<{ timezone: string | null; groups: Counted<Key>[] }> {
  const user = restrictedUser(callerOf(ctx))
  const text = textOf(group_by, user === null ? '' : ` and ${VISIBLE}`)
  const rows = await select<Counted<Key> & { timezone: string | null }>(
    ctx,
    `audit_log_summary ${group_by}`,
    { text },
    { from, to, user },
  )
  return { timezone: rows[0]?.timezone ?? null, groups: rows.filter(({ total }) => total !== null) }
}
