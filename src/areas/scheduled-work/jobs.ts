/** The loop and the job of scheduled work. */
import { tenantJob } from '../../jobs/job.ts'
import type { Loop } from '../../jobs/loop.ts'
import { queueDue, START_ENTRY, startEntry } from './start-due.ts'

/** Queues what is due, also what became due while no process ran. */
export const queueDueWork: Loop = {
  name: 'scheduled-work.queue',
  interval_ms: 1000,
  run: (ctx) => queueDue(ctx),
}

export const startDueWork = tenantJob({
  ...START_ENTRY,
  transaction: false,
  concurrency: 50,
  // Most of the time of a start it waits for the PSA.
  waits: true,
  handler: startEntry,
})
