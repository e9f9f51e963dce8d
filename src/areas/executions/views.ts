/** Executions in the statements of other areas. */

/** The id of the first run of the execution of a row. */
export const firstRunOf = (row: string): string => `(select x.temporal_run_id from execution_run x
  where x.tenant_id = ${row}.tenant_id and x.environment = ${row}.environment
    and x.execution_id = ${row}.execution_id
  order by x.sequence limit 1)`

/** True if the run that raised the request of a row is supervised. */
export const isSupervised = (row: string): string => `coalesce((select x.supervised from execution_run x
  where x.tenant_id = ${row}.tenant_id and x.environment = ${row}.environment
    and x.execution_id = ${row}.execution_id and x.temporal_run_id = ${row}.initiating_temporal_run_id), false)`

/** The users who started the execution, by the SQL of its id. */
export const startersOf = (execution_id: string): string =>
  `select unnest(e.asked_by_user_ids || e.acting_user_id) as user_id from execution e
  where e.tenant_id = $1 and e.environment = $2 and e.execution_id = ${execution_id}`

// The runs of earlier executions did not keep the requests that they raised.
/** True if the execution of a row kept the requests that its runs raised. */
export const keptRequests = (row: string): string => `exists (select from execution e
  where e.tenant_id = ${row}.tenant_id and e.environment = ${row}.environment
    and e.execution_id = ${row}.execution_id and e.created_at >= '2026-08-12T00:00:00Z')`
