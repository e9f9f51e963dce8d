/** Tells workers of new jobs, so that they look for them at once. Told or not, they look regularly. */
import { type Sql, statement } from '../db/sql.ts'

/** The channel whose notifications name a queue. */
export const JOB_CHANNEL = 'job'

// Lost with the server, a notification is only a job that is found later: COMMIT need not wait for the disk.
const NOTIFY = statement(
  'jobs.notify',
  `select set_config('synchronous_commit', 'off', true), pg_notify('${JOB_CHANNEL}', queue)
   from unnest($1::text[]) as queue`,
)

/**
 * Returns a function that tells the workers of a queue. Commits that notify wait for each other, in the whole
 * database; so a job's own transaction does not notify, but one statement after it, for all that ended meanwhile.
 */
export function createWaker(sql: Sql): (queue: string) => void {
  const queues = new Set<string>()
  let notifying = false

  async function notify(): Promise<void> {
    notifying = true
    while (queues.size > 0) {
      const told = [...queues]
      queues.clear()
      await sql.rows(NOTIFY, [told]).catch(() => {})
    }
    notifying = false
  }

  return (queue) => {
    queues.add(queue)
    if (!notifying) void notify()
  }
}
