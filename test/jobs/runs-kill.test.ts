/** Executions whose workers are killed, and whose connections are cut, at random. */
import pg from 'pg'
import { onTestFinished, test } from 'vitest'
import { cloneUrl } from '../setup/database.ts'
import { EXECUTIONS, type ManyRuns, manyRuns, TEST_MS } from './many-runs.ts'

const CUT = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`

const BLOWS: Record<string, (runs: ManyRuns, client: pg.Client) => unknown> = {
  'workers are killed': ({ killWorker }) => killWorker(),
  'connections are cut': (_runs, client) => client.query(CUT),
}

test.runIf(process.env.DATABASE_URL).each(Object.entries(BLOWS))(
  'of executions whose %s at random, every one ends well, and each note is written once',
  { timeout: TEST_MS },
  async (_name, blow) => {
    const url = (await cloneUrl()) ?? ''
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    onTestFinished(() => client.end())
    const runs = await manyRuns(url)
    await runs.disturb(EXECUTIONS / 10, () => blow(runs, client))
    await runs.expectAllWell()
  },
)
