/** The SQL of the summary: the links of a window with the ratings given by them, as a whole and in groups. */
import { SEEN_AGENTS } from '../../access/policies/visibility.ts'
import { select } from '../../db/query/fragment.ts'
import type { Context } from '../../gateway/context.ts'
import type { Window } from '../../lib/window.ts'
import { restrictedUserOf, SEEN_OR_NONE } from '../../schema/lists/of-agents.ts'
import { agentName } from '../agents/index.ts'
import { companyName } from '../end-companies/index.ts'
import type { Counts, GroupBy } from './summary-rules.ts'

/** The most groups in one answer, but for those of days. */
export const MAX_GROUPS = 200

interface Grouping {
  /** The column by which links are grouped, and its SQL. */
  column: string
  value: string
  /** The SQL of the key of the group `g`, and of the name that people know it by. */
  key: string
  label: string
}

const WHOLE: Grouping = { column: 'whole', value: 'true', key: `''`, label: 'null::text' }

const GROUPINGS: Record<GroupBy, Grouping> = {
  AGENT: {
    column: 'agent_id',
    value: 'nullif(f.agent_or_none, 0)',
    key: `coalesce(g.agent_id::text, '')`,
    label: agentName('g'),
  },
  COMPANY: {
    column: 'end_company_id',
    value: 'f.end_company_id',
    key: `coalesce(g.end_company_id, '')`,
    label: companyName('g'),
  },
  // The number of the last one of `$starts` that is not later.
  DAY: {
    column: 'day',
    value: 'width_bucket(f.created_at, $starts::timestamptz[])',
    key: 'g.day::text',
    label: 'null::text',
  },
}

const NAMES = ['sent_count', 'positive', 'neutral', 'negative'] as const

const rated = (rating: string): string => `(count(*) filter (where f.rating = '${rating}'))::int`

const SUMS = NAMES.map((name) => `coalesce(sum(${name}), 0)::int as ${name}`).join(', ')

/** The row without a key is the whole; the groups follow, the largest first. */
function textOf(group_by: GroupBy | null, and: string): string {
  const { column, value, key, label } = group_by ? GROUPINGS[group_by] : WHOLE
  const limit = group_by === 'DAY' ? '' : ` limit ${MAX_GROUPS + 1}`
  const groups = `union all
      select key, ${label}, ${NAMES.join(', ')}
      from (select (${key}) collate "C" as key, g.* from counted g order by sent_count desc, 1${limit}) g`
  return `with counted as (
      select $1::text as tenant_id, $2::text as environment, ${value} as ${column}, count(*)::int as sent_count,
        ${rated('POSITIVE')} as positive, ${rated('NEUTRAL')} as neutral, ${rated('NEGATIVE')} as negative
      from feedback_entry f
      where f.tenant_id = $1 and f.environment = $2 and f.created_at >= $from::timestamptz
        and f.created_at < $to::timestamptz${and}
      group by 3
    )
    select * from (
      select null::text as key, null::text as label, ${SUMS} from counted
      ${group_by ? groups : ''}
    ) r order by key is not null, sent_count desc, key`
}

interface Asked {
  window: Window
  agent_id: number | null
  group_by: GroupBy | null
  /** The starts of the days of the window, by DAY. */
  starts: readonly Date[]
}

/** The links with one key; null is that of all. */
export interface Counted extends Counts {
  key: string | null
  label: string | null
}

// Contract silent: an agent that the caller does not see, or that is not there, has no feedback to count.
function conditionOf(user: string | null, agent_id: number | null): string {
  if (user === null) return agent_id === null ? '' : ' and f.agent_or_none = $agent_id::int'
  const seen = agent_id === null ? SEEN_OR_NONE : `(${SEEN_AGENTS} and a.id = $agent_id::int)`
  return ` and f.agent_or_none = any(array${seen})`
}

/** The links of the window that the caller sees, first as a whole and then in groups, the largest first. */
export async function countFeedback(
  ctx: Context,
  { window, agent_id, group_by, starts }: Asked,
): Promise<Counted[]> {
  const user = restrictedUserOf(ctx)
  const text = textOf(group_by, conditionOf(user, agent_id))
  return await select<Counted>(ctx, 'feedback_summary', { text }, { ...window, agent_id, user, starts })
}
