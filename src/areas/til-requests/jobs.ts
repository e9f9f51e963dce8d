/** The background work of requests to technicians. A process that runs executions imports it, and with it the gate. */
import { retentionJob } from '../../jobs/retention.ts'

export { expireRequests } from './deciding/expire.ts'

// Contract silent: a request of the API-request channel is kept as long as executions are.
/** Deletes old requests that belong to no execution: the others go with theirs. */
export const deleteOldApiRequests = retentionJob({
  name: 'til-requests.delete_old',
  table: 'til_request',
  time: 'closed_at',
  days: 400,
  where: 'execution_id is null',
})
