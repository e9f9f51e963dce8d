/** The executions of each agent of a list. */
import { firstOf, shaped } from '../../db/shaped.ts'
import { batched } from '../../graphql/batched.ts'
import { type ExecutionRow, executionColumns, NEWEST_FIRST } from './execution.ts'

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

const FIRST = ['infinity', '']

const ROWS = `select * from execution
  where tenant_id = $1 and environment = $2 and agent_id = wanted.agent_id
    and (created_at, execution_id) < (wanted.created_at, wanted.execution_id)`

const columns = executionColumns('a.name')
const EXECUTIONS = shaped<PlacedRow>(
  'executions.of_agents',
  (_and, chosen) => `select ${chosen}, wanted.place::int as place
   from unnest($3::int[], $4::int[], $5::text[]::timestamptz[], $6::text[]) with ordinality
     as wanted (agent_id, size, created_at, execution_id, place)
   join agent a on a.tenant_id = $1 and a.environment = $2 and a.id = wanted.agent_id
   cross join lateral (${firstOf(ROWS, NEWEST_FIRST, 'wanted.size')}) e
   order by wanted.place, e.created_at desc, e.execution_id desc`,
)

/** An agent's executions, the newest first. */
export const executionsOf = batched<Wanted, ExecutionRow[]>(async (ctx, wanted) => {
  const keys = wanted.map(({ after }) => after ?? FIRST)
  const values = [
    wanted.map(({ agent_id }) => agent_id),
    wanted.map(({ limit }) => limit),
    ...[0, 1].map((column) => keys.map((key) => key[column])),
  ]
  const fields = new Set(wanted.flatMap((one) => [...one.fields]))
  const rows = await EXECUTIONS(ctx, values, [], columns(fields))
  const byPlace = Map.groupBy(rows, ({ place }) => place)
  return wanted.map((_, index) => byPlace.get(index + 1) ?? [])
})
