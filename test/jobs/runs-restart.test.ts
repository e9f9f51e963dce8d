/** Executions whose PostgreSQL is restarted: a server of the test's own, beside the one of the other tests. */
import { onTestFinished, test } from 'vitest'
import { migratedDatabase } from '../setup/database.ts'
import { POSTGRESQL_PROGRAMS, startPostgresql } from '../setup/postgresql.ts'
import { EXECUTIONS, manyRuns, TEST_MS } from './many-runs.ts'

test.runIf(POSTGRESQL_PROGRAMS && process.env.DATABASE_URL)(
  'of executions whose PostgreSQL is stopped, or crashes, and starts again, every one ends well, and each note is written once',
  { timeout: TEST_MS },
  async () => {
    const postgresql = await startPostgresql()
    onTestFinished(() => postgresql.remove())
    await migratedDatabase(postgresql.url).then((database) => database.close())
    const runs = await manyRuns(postgresql.url)
    await runs.disturb(EXECUTIONS / 20, (n) => postgresql.restart(n % 2 === 0 ? 'immediate' : 'fast'))
    await runs.expectAllWell()
  },
)
