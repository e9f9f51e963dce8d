/** Stores jobs in the transactions of their callers. */
import { createHash } from 'node:crypto'
import type { Db, PgBoss } from 'pg-boss'
import { type Sql, type Statement, statement } from '../db/sql.ts'
import type { Transaction } from '../db/tenancy/context.ts'
import type { JobSender, StoredJob } from '../gateway/job-sender.ts'
import { hasLaterTables } from './install.ts'
import { ENVIRONMENT_OF, TENANT_OF } from './queue.ts'
import { createWaker } from './wake.ts'

const statements = new Map<string, Statement>()

/** A named statement for a text of pg-boss, of which there are a few for each queue. */
function prepared(text: string): Statement {
  let made = statements.get(text)
  if (!made) {
    made = statement(`jobs ${createHash('sha256').update(text).digest('base64url')}`, text)
    statements.set(text, made)
  }
  return made
}

/** The database interface of pg-boss on our connections, in a transaction or outside. */
export const bossDatabase = (sql: Sql): Db => ({
  executeSql: async (text, values = []) => ({ rows: await sql.rows(prepared(text), values) }),
})

// A locked job is not taken before the transaction has ended. A job that another transaction holds may be taken earlier.
const WAITING = statement(
  'jobs.waiting',
  `select j.id::text from pgboss.job j
   where j.name = $1 and ${ENVIRONMENT_OF('j')} = $2 and ${TENANT_OF('j')} = $3 and not j.blocked
     and j.state = 'created' and j.data = $4::jsonb
   limit 1 for update skip locked`,
)

/** The id of an equal job that waits, and is not taken until the transaction has ended. */
async function waitingJob(transaction: Transaction, queue: string, job: StoredJob): Promise<string | null> {
  const { environment = '', tenant_id = '' } = job.tenancy ?? {}
  const values = [queue, environment, tenant_id, JSON.stringify(job)]
  const [waiting] = await transaction.rows<{ id: string }>(WAITING, values)
  return waiting?.id ?? null
}

/**
 * A pg-boss that only sends, since a process that runs no jobs enqueues them too. It reads the list of queues in the
 * first transaction that sends: on an embedded database a statement outside would wait for that transaction to end.
 */
export function createSender(sql: Sql): JobSender {
  const outside = bossDatabase(sql)
  const wake = createWaker(sql)
  let starting: Db | null = null
  let started: Promise<PgBoss> | null = null

  async function start(transaction: Transaction): Promise<PgBoss> {
    const { PgBoss, systemClock } = await import('pg-boss')
    starting = bossDatabase(transaction)
    const boss = new PgBoss({
      db: { executeSql: (text, values) => (starting ?? outside).executeSql(text, values) },
      migrate: await hasLaterTables(transaction),
      supervise: false,
      schedule: false,
      // Its intervals read the list of queues again, which only a migration changes, and watch over jobs of workers.
      clock: { ...systemClock, setInterval: () => undefined },
    })
    // After a failed read the known list of queues is used.
    boss.on('error', () => {})
    try {
      return await boss.start()
    } finally {
      starting = null
    }
  }

  /** A start fails with the transaction that it reads in. Others that waited for it then start in their own. */
  async function bossIn(transaction: Transaction): Promise<PgBoss> {
    for (;;) {
      const is_own = started === null
      started ??= start(transaction).catch((error: unknown) => {
        started = null
        throw error
      })
      try {
        return await started
      } catch (error) {
        if (is_own) throw error
      }
    }
  }

  return {
    async send(transaction, queue, job, { start_after, joins_waiting } = {}) {
      const waiting = joins_waiting ? await waitingJob(transaction, queue, job) : null
      if (waiting !== null) return waiting
      const boss = await bossIn(transaction)
      const options = { db: bossDatabase(transaction), ...(start_after && { startAfter: start_after }) }
      const id = await boss.send(queue, job, options)
      if (id === null) throw new Error(`A job of ${queue} was not stored`)
      if (!start_after) transaction.onEnd(() => wake(queue))
      return id
    },
    async sendAll(transaction, queue, jobs) {
      if (jobs.length === 0) return
      const boss = await bossIn(transaction)
      const inserts = jobs.map(({ job, start_after }) => ({
        data: job,
        ...(start_after && { startAfter: start_after }),
      }))
      await boss.insert(queue, inserts, { db: bossDatabase(transaction) })
      transaction.onEnd(() => wake(queue))
    },
  }
}
