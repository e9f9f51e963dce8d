/** Live updates and a PostgreSQL that crashes. It is one of the test's own, whatever the other tests run on. */
import { expect, onTestFinished, test } from 'vitest'
import { type DatabaseContext, scoped, sql } from '../../src/db/db.ts'
import { createChangeFeed } from '../../src/db/live/change-feed.ts'
import { currentPosition, type LivePosition, readLiveEvents } from '../../src/db/live/events.ts'
import { statement } from '../../src/db/sql.ts'
import { Stopwatch } from '../../src/lib/stopwatch.ts'
import { addAgents, addExecutions } from '../setup/agents.ts'
import { migratedDatabase } from '../setup/database.ts'
import { POSTGRESQL_PROGRAMS, startPostgresql } from '../setup/postgresql.ts'
import { until } from '../setup/until.ts'
import { world } from '../setup/world.ts'

/** 2, or as many as `TEST_CRASHES` says. */
const CRASHES = Number(process.env.TEST_CRASHES ?? 2)

/** Hardly anything but COMMIT writes to the disk, so that a crash loses what has not waited for it. */
const LAZY = { wal_writer_delay: '10s', bgwriter_delay: '10s', autovacuum: 'off' }

// As transactions that notify workers, and those that are rolled back, it waits for no disk.
const LAZY_TRANSACTION = statement(
  'test.lazy_transaction',
  `select set_config('synchronous_commit', 'off', true), pg_current_xact_id()::text::bigint as id`,
)

const TRANSACTION_OF = scoped(
  'test.transaction_of',
  `select transaction_id as id from live_event where tenant_id = $1 and environment = $2 and entity_id = $3`,
)

test.skipIf(!POSTGRESQL_PROGRAMS)(
  'events of transactions whose ids a crashed PostgreSQL gives again come once to followers, and after every position',
  { timeout: 60_000 + CRASHES * 15_000 },
  async () => {
    const postgresql = await startPostgresql(LAZY)
    const database = await migratedDatabase(postgresql.url)
    const changes = createChangeFeed(database, 200)
    onTestFinished(async () => {
      await changes.close()
      await database.close()
      await postgresql.remove()
    })
    const msp = await world(database)
    await addAgents(msp, [{ id: 1 }])
    const ctx: DatabaseContext = {
      viewer: { tenant_id: msp.tenant_id, environment: msp.environment },
      services: { database },
      transaction: null,
      db_time: new Stopwatch(),
    }
    const add = (execution_id: string) => addExecutions(msp, [{ execution_id, agent_id: 1, status: 'NEW' }])
    const told: string[] = []
    const readers: { position: LivePosition; found: string[]; expected: string[] }[] = []
    const written: string[] = []
    const transactionOf = async (id: string) => (await sql<{ id: number }>(ctx, TRANSACTION_OF, [id]))[0]?.id

    async function addNext(): Promise<string> {
      const id = `e${written.length}`
      // Connections that the crash has cut may still be in the pool.
      await until(() =>
        add(id).then(
          () => true,
          () => false,
        ),
      )
      written.push(id)
      for (const { expected } of readers) expected.push(id)
      return id
    }

    await changes.follow(msp, ({ events }) => told.push(...events.map(({ entity_id }) => entity_id)))
    let given_again = 0
    for (let crash = 0; given_again < CRASHES && crash < 3 * CRASHES; crash++) {
      await addNext()
      await until(() => told.length === written.length)
      const lost: { id: number }[] = []
      for (let n = 0; n < 20; n++)
        lost.push(...(await database.sql.rows<{ id: number }>(LAZY_TRANSACTION, [])))
      readers.push({ position: { seen: (await currentPosition(ctx)).seen }, found: [], expected: [] })
      for (const reader of readers) {
        const batch = await readLiveEvents(ctx, reader.position)
        reader.position = batch.position
        reader.found.push(...batch.events.map(({ entity_id }) => entity_id))
      }
      await postgresql.restart('immediate')
      await until(() =>
        database.ping().then(
          () => true,
          () => false,
        ),
      )
      const again = await transactionOf(await addNext())
      if (lost.some(({ id }) => id === again)) given_again++
      await until(() => told.length >= written.length)
    }
    for (const { position, found, expected } of readers) {
      const { events } = await readLiveEvents(ctx, position)
      expect([...found, ...events.map(({ entity_id }) => entity_id)]).toEqual(expected)
    }
    expect(told).toEqual(written)
    expect(given_again).toBe(CRASHES)
  },
)
