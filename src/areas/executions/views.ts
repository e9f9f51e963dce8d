/** Executions in the statements of other areas. */
import { SEEN_AGENTS } from '../../access/policies/visibility.ts'

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

/** True if the row names no execution, or one of an agent that the parameter `$user` sees. */
export const ofSeenExecution = (row: string): string => `(${row}.execution_id is null or exists (
  select from execution e where e.tenant_id = ${row}.tenant_id and e.environment = ${row}.environment
    and e.execution_id = ${row}.execution_id and e.agent_id = any(array(${SEEN_AGENTS}))))`

/** The agent of the latest execution on the ticket of a row, by the SQL of its id. */
export const latestAgentOn = (row: string, ticket_id: string): string => `(select e.agent_id from execution e
  where e.tenant_id = ${row}.tenant_id and e.environment = ${row}.environment and e.entity_id = ${ticket_id}
    and e.entity_type = 'TICKET'
  order by e.created_at desc, e.execution_id desc limit 1)`
