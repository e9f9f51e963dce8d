/** Failures and retries of executions, for what follows from their events. */
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'

interface FailedCall {
  execution_id: string
  tool_name: string
}

const LAST_FAILED = scoped(
  'executions.last_failed_calls',
  `select distinct on (c.execution_id) c.execution_id, c.tool_name from tool_call c
   where c.tenant_id = $1 and c.environment = $2 and c.execution_id = any($3::text[]) and c.error_code = $4::text
   order by c.execution_id, c.sequence desc`,
)

/** The last tool call with the error, of each of these executions that has one. */
export const lastFailedCalls = (
  ctx: DatabaseContext,
  execution_ids: readonly string[],
  error_code: string,
): Promise<FailedCall[]> => sql<FailedCall>(ctx, LAST_FAILED, [execution_ids, error_code])

interface Retry {
  execution_id: string
  retry_of_execution_id: string
}

const RETRIES = scoped(
  'executions.retries_among',
  `select e.execution_id, e.retry_of_execution_id from execution e
   where e.tenant_id = $1 and e.environment = $2 and e.execution_id = any($3::text[])
     and e.retry_of_execution_id is not null`,
)

/** The retries among these executions. */
export const retriesAmong = (ctx: DatabaseContext, execution_ids: readonly string[]): Promise<Retry[]> =>
  sql<Retry>(ctx, RETRIES, [execution_ids])
