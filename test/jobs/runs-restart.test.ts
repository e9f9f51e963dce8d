/** Executions whose PostgreSQL is restarted. It is one of the test's own, whatever the other tests run on. */
import { onTestFinished, test } from 'vitest'
import { migratedDatabase } from '../setup/database.ts'
import { POSTGRESQL_PROGRAMS, startPostgresql } from '../setup/postgresql.ts'
import { EXECUTIONS, manyRuns, TEST_MS } from './many-runs.ts'

test.skipIf(!POSTGRESQL_PROGRAMS)(
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
