/** Stores jobs in the transactions of their callers. */
import { createHash } from 'node:crypto'
import type { Db, PgBoss } from 'pg-boss'
import type { Tenancy, Transaction } from '../db/context.ts'
import { type Sql, type Statement, statement } from '../db/sql.ts'

/** The form in which a job is stored. */
export interface StoredJob {
  /** null for a job of the system. */
  tenancy: Tenancy | null
  payload: unknown
}

export interface SendOptions {
  /** Not to run before this instant. */
  start_after?: Date
}

export interface JobSender {
  /** The id of the job, which is there when the transaction has committed. */
  send(transaction: Transaction, queue: string, job: StoredJob, sending?: SendOptions): Promise<string>
}

const statements = new Map<string, Statement>()

/** pg-boss writes the name of the queue into its texts, so that there are a few for each. */
function prepared(text: string): Statement {
  let made = statements.get(text)
  if (!made) {
    made = statement(`jobs ${createHash('sha256').update(text).digest('base64url')}`, text)
    statements.set(text, made)
  }
  return made
}

/** Statements of ours, in a transaction or outside, as pg-boss sends its own. */
export const bossDatabase = (sql: Sql): Db => ({
  executeSql: async (text, values = []) => ({ rows: await sql.rows(prepared(text), values) }),
})

/**
 * A sender of its own, since a process that runs no jobs sends them too. It asks for the queues there are in the first
 * transaction that sends: on an embedded database a statement outside would wait for that transaction to end.
 */
export function createSender(sql: Sql): JobSender {
  const outside = bossDatabase(sql)
  let starting: Db | null = null
  let started: Promise<PgBoss> | null = null

  async function start(transaction: Transaction): Promise<PgBoss> {
    const { PgBoss, systemClock } = await import('pg-boss')
    starting = bossDatabase(transaction)
    const boss = new PgBoss({
      db: { executeSql: (text, values) => (starting ?? outside).executeSql(text, values) },
      migrate: false,
      supervise: false,
      schedule: false,
      // It asks for the queues now and then, which keeps no process from ending.
      clock: { ...systemClock, setInterval: (work, ms) => setInterval(work, ms).unref() },
    })
    // Where the queues cannot be asked for, those that are known are used.
    boss.on('error', () => {})
    try {
      return await boss.start()
    } finally {
      starting = null
    }
  }

  return {
    async send(transaction, queue, job, { start_after } = {}) {
      started ??= start(transaction).catch((error: unknown) => {
        started = null
        throw error
      })
      const boss = await started
      const options = { db: bossDatabase(transaction), ...(start_after && { startAfter: start_after }) }
      const id = await boss.send(queue, job, options)
      if (id === null) throw new Error(`A job of ${queue} was not stored`)
      return id
    },
  }
}
