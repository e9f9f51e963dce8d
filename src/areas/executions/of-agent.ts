/** The executions of each agent of a list. */
import { firstOf, shaped } from '../../db/shaped.ts'
import { dataLoader } from '../../schema/data-loader.ts'
import { columnsOfMany, type ExecutionRow, NEWEST_FIRST } from './execution.ts'

/** Where an agent's executions start, and how many there may be. */
interface Wanted {
  agent_id: number
  limit: number
  after: readonly unknown[] | null
  fields: ReadonlySet<string>
}

interface PlacedRow extends ExecutionRow {
  place: number
}

const STARTS = ', created_at, execution_id'
const AFTER = ' and (created_at, execution_id) < (wanted.created_at, wanted.execution_id)'

const statementOf = (name: string, starts: string, types: string, after: string) =>
  shaped<PlacedRow>(name, (_and, chosen) => {
    const rows = `select * from execution
      where tenant_id = $1 and environment = $2 and agent_id = wanted.agent_id${after}`
    return `select ${chosen}, wanted.place::int as place
      from unnest($3::int[], $4::int[]${types}) with ordinality as wanted (agent_id, size${starts}, place)
      cross join lateral (${firstOf(rows, NEWEST_FIRST, 'wanted.size')}) e
      order by wanted.place, e.created_at desc, e.execution_id desc`
  })

const FIRST_PAGES = statementOf('executions.of_agents', '', '', '')
const LATER_PAGES = statementOf(
  'executions.of_agents_after',
  STARTS,
  ', $5::text[]::timestamptz[], $6::text[]',
  AFTER,
)

const BEFORE_ALL = ['infinity', '']

/** An agent's executions, the newest first. */
export const executionsOf = dataLoader<Wanted, ExecutionRow[]>(async (ctx, wanted) => {
  const values = [wanted.map(({ agent_id }) => agent_id), wanted.map(({ limit }) => limit)]
  const fields = new Set(wanted.flatMap((one) => [...one.fields]))
  const chosen = columnsOfMany(fields)
  const later = wanted.some(({ after }) => after !== null)
  const keys = wanted.map(({ after }) => after ?? BEFORE_ALL)
  const starts = [0, 1].map((column) => keys.map((key) => key[column]))
  const rows = later
    ? await LATER_PAGES(ctx, [...values, ...starts], [], chosen)
    : await FIRST_PAGES(ctx, values, [], chosen)
  const byPlace = Map.groupBy(rows, ({ place }) => place)
  return wanted.map((_, index) => byPlace.get(index + 1) ?? [])
})
