/** The agents that a caller sees, page by page. */
import { callerOf, personIdOf } from '../../access/viewer.ts'
import { visibleAgents } from '../../access/visibility.ts'
import { type Condition, firstOf, oneOf, shaped } from '../../db/shaped.ts'
import type { Context } from '../../gateway/context.ts'
import { containing } from '../../lib/search.ts'
import { type Page, page } from '../../schema/page.ts'
import { type AgentSummaryRow, PERSON, summaryColumns } from './columns.ts'
import type { AgentState, AutonomyType, EntityType, TriggerType } from './rules.ts'

export type Sort = 'created_at' | 'name'

interface Request {
  state?: readonly AgentState[] | null | undefined
  autonomy_type?: AutonomyType | null | undefined
  trigger_type?: TriggerType | null | undefined
  entity_type?: EntityType | null | undefined
  supervised?: boolean | null | undefined
  search?: string | null | undefined
  sort?: Sort | null | undefined
  page_size?: number | null | undefined
  cursor?: string | null | undefined
}

interface Listed extends AgentSummaryRow {
  sort_name: string
}

const inOrder = (sort: Sort, by: string) =>
  shaped<Listed>(`agents.by_${sort}`, (and, columns) => {
    const rows = `select a.* from agent a where a.tenant_id = $1 and a.environment = $2 and ${PERSON}${and}`
    return `select ${columns}, a.sort_name from (${firstOf(rows, by, '$4')}) a order by ${by}`
  })

const ORDERS = {
  created_at: {
    read: inOrder('created_at', 'created_at desc, id desc'),
    after: '(a.created_at, a.id) < (?::timestamptz, ?::int)',
    key: ({ created_at, id }: Listed) => [created_at.toISOString(), id],
  },
  name: {
    read: inOrder('name', 'sort_name, id'),
    after: '(a.sort_name, a.id) > (?::text, ?::int)',
    key: ({ sort_name, id }: Listed) => [sort_name, id],
  },
} as const satisfies Record<Sort, object>

const LISTED: Condition = { name: 'listed', text: `a.state <> 'ARCHIVED'` }

const is = (column: string, type: string, value: string | null | undefined): Condition | null =>
  value == null ? null : { name: column, text: `a.${column} = ?::text::${type}`, values: [value] }

const named = (search: string): Condition => ({
  name: 'search',
  text: 'a.sort_name like lower(?::text)',
  values: [containing(search)],
})

/** One page, with the fields that are wanted. Archived agents are on it only where they are asked for. */
export async function listAgents(
  ctx: Context,
  request: Request,
  wanted: ReadonlySet<string>,
): Promise<Page<AgentSummaryRow>> {
  const { state, autonomy_type, trigger_type, entity_type, supervised, search, sort } = request
  const viewer = callerOf(ctx)
  const order = ORDERS[sort ?? 'created_at']
  const conditions = [
    visibleAgents(viewer),
    oneOf('state', 'a.state', state, 'agent_state') ?? LISTED,
    is('autonomy_type', 'autonomy_type', autonomy_type),
    is('trigger_type', 'trigger_type', trigger_type),
    is('entity_type', 'entity_type', entity_type),
    supervised == null
      ? null
      : { name: 'supervised', text: 'a.supervised = ?::boolean', values: [supervised] },
    search == null ? null : named(search),
  ]
  return await page<Listed>(
    ctx,
    'agents',
    { ...request },
    (key, limit) => {
      const after = key && { name: 'after', text: order.after, values: key }
      return order.read(ctx, [personIdOf(viewer), limit], [...conditions, after], summaryColumns(wanted))
    },
    (row) => order.key(row),
  )
}
