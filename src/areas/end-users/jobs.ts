/** The jobs of end users. */
import { sweepTicketReads } from '../../access/credentials/end-user-calls.ts'
import { NO_PAYLOAD, systemJob } from '../../jobs/job.ts'

/** Deletes the logs of calls of users who have not called for a minute. */
export const sweepEndUserCalls = systemJob({
  name: 'end-users.sweep_calls',
  schedule: '*/5 * * * *',
  payload: NO_PAYLOAD,
  transaction: false,
  handler: ({ services, now }) => sweepTicketReads(services.database.sql, now, services.environment),
})
