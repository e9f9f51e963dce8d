/** The executions of the agents that a caller sees, page by page. */
import { callerOf } from '../../access/viewer.ts'
import { restrictedUser } from '../../access/visibility.ts'
import type { Condition } from '../../db/shaped.ts'
import type { Context } from '../../gateway/context.ts'
import { containing } from '../../lib/search.ts'
import { type Page, page } from '../../schema/page.ts'
import { type ExecutionRow, sortKey } from './execution.ts'
import type { ExecutionStatus, Resolution, Trigger } from './rules.ts'
import { given, readNewest } from './stretches.ts'

interface Request {
  agent_id?: number | null | undefined
  status?: readonly ExecutionStatus[] | null | undefined
  entity_id?: string | null | undefined
  supervised?: boolean | null | undefined
  resolution?: Resolution | null | undefined
  trigger?: Trigger | null | undefined
  from?: Date | null | undefined
  to?: Date | null | undefined
  updated_since?: Date | null | undefined
  search?: string | null | undefined
  page_size?: number | null | undefined
  cursor?: string | null | undefined
}

const conditionsOf = ({
  entity_id,
  supervised,
  resolution,
  trigger,
  from,
}: Request): (Condition | null)[] => [
  given('entity', 'e.entity_id = ?::text', entity_id),
  given('supervised', 'e.supervised = ?::boolean', supervised),
  given('resolution', 'e.resolution = ?::text::execution_resolution', resolution),
  given('trigger', 'e.trigger = ?::text::execution_trigger', trigger),
  given('from', 'e.created_at >= ?::timestamptz', from),
]

/** Conditions that are met by few rows or by many; each has an index for few. */
const selectiveOf = ({ updated_since, search }: Request): Condition[] =>
  [
    given('updated', 'e.updated_at >= ?::timestamptz', updated_since),
    given('search', 'e.search_text like lower(?::text)', search == null ? null : containing(search)),
  ]
    .filter((condition) => condition !== null)
    .map((condition) => ({ ...condition, custom_plan: true }))

/** Where the page starts. Every cursor is in the window: PostgreSQL would start at `to` if it were told of both. */
const start = (key: readonly unknown[] | null, to: Date | null | undefined): Condition | null =>
  key
    ? {
        name: 'after',
        text: '(e.created_at, e.execution_id) < (?::timestamptz, ?::text)',
        values: key,
      }
    : given('to', 'e.created_at < ?::timestamptz', to)

// Contract silent: an agent that the caller does not see, or that is not there, has no executions to list.
/** One page, with the fields that are wanted. */
export async function listExecutions(
  ctx: Context,
  request: Request,
  fields: ReadonlySet<string>,
): Promise<Page<ExecutionRow>> {
  const { agent_id = null, to } = request
  const user = restrictedUser(callerOf(ctx))
  const status = request.status ? [...new Set(request.status)].sort() : null
  const wanted = { user, agent_id, status, selective: selectiveOf(request), fields }
  return await page(
    ctx,
    'executions',
    { ...request, status },
    (key, limit) => {
      const conditions = [...conditionsOf(request), start(key, to)]
      return readNewest(ctx, { ...wanted, conditions }, limit)
    },
    sortKey,
  )
}
