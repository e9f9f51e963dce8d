import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { emptyUrl } from '../setup/database.ts'
import { call, startService } from './service.ts'

const PROCESSES = 3
/** Migrations, the queues and the demo each take longer than the pause between two. */
const CUTS = 6
const PAUSE_MS = 400
/** One of them puts the demo in, beside other tests. */
const LATE_MS = 180_000

test.runIf(process.env.DATABASE_URL)(
  'several that start with the demo on an empty PostgreSQL, whose connections are cut, all begin to answer',
  async () => {
    const DATABASE_URL = (await emptyUrl()) as string
    const folder = await mkdtemp(join(tmpdir(), 'starts-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const env = { DATABASE_URL, DATA_DIR: folder, PORT: '0', DEMO_DATA: 'on', DB_POOL_SIZE: '4' }
    const starting = Array.from({ length: PROCESSES }, () => startService(env, { late_ms: LATE_MS }))
    for (const one of starting) one.catch(() => {})
    const executioner = new pg.Client({ connectionString: DATABASE_URL })
    await executioner.connect()
    for (let cut = 0; cut < CUTS; cut++) {
      await sleep(PAUSE_MS)
      await executioner.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      )
    }
    await executioner.end()
    const services = await Promise.all(starting)
    onTestFinished(async () => {
      await Promise.all(services.map((service) => service.stop('SIGKILL')))
    })
    const answers = services.map((service) => call(service, service.key, '/settings'))
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(services.map(() => 200))
  },
  2 * LATE_MS,
)
