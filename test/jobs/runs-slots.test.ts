/** The slots of a tenant, whose executions several processes take up at once. */
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { cloneUrl } from '../setup/database.ts'
import { until } from '../setup/until.ts'
import { EXECUTIONS, manyRuns, TEST_MS } from './many-runs.ts'

const SLOTS = 20

/** Every change of a slot stores how many are taken then: whoever changes one holds the lock of the tenant's slots. */
const WATCH = `
  create table taken (slots int not null);
  create function count_taken() returns trigger language plpgsql as $$
  begin
    insert into taken select count(*) from execution_work where slot in ('GRANTED', 'HELD');
    return null;
  end $$;
  create trigger count_taken after insert or update of slot on execution_work
    for each row execute function count_taken();
`

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

test.runIf(process.env.DATABASE_URL)(
  'are never more than 20 over all processes, and who waited for one is known',
  { timeout: TEST_MS },
  async () => {
    const url = (await cloneUrl()) ?? ''
    const [watcher, psa] = await Promise.all([connect(url), connect(url)])
    await watcher.query(WATCH)
    // No note is written before everybody has a slot or waits for one.
    await psa.query('begin; lock table psa_note in exclusive mode')
    // All executions with a slot may be in one process, each with a connection that waits.
    const runs = await manyRuns(url, { DB_POOL_SIZE: '25' }, 2)
    const count = async (condition: string) => {
      const { rows } = await watcher.query(`select count(*)::int from execution_work where ${condition}`)
      return rows[0].count
    }
    await until(async () => (await count(`slot = 'WAITING'`)) === EXECUTIONS - SLOTS, TEST_MS)
    expect(await count(`slot = 'HELD'`)).toBe(SLOTS)
    await psa.query('commit')
    await runs.expectAllWell()
    const { rows } = await watcher.query('select max(slots) from taken')
    expect(rows).toEqual([{ max: SLOTS }])
    expect(await count('waits_since is not null and waited_seconds > 0')).toBe(EXECUTIONS - SLOTS)
    expect(await count('waits_since is null and waited_seconds = 0')).toBe(SLOTS)
  },
)
