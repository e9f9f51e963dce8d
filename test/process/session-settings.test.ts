/** The service on a database that is set to read and write values otherwise, from its first start on. */
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openEmbedded } from '../../src/db/embedded/database.ts'
import { emptyUrl } from '../setup/database.ts'
import { setOddly } from '../setup/odd-settings.ts'
import { call, demoPlace, newPlace, type Place, patientCall, runProgram, startService } from './service.ts'

const onPostgresql = test.runIf(process.env.DATABASE_URL)
const onEmbedded = test.runIf(!process.env.DATABASE_URL)

/** The demo is put in, beside other tests. */
const SLOW_MS = 240_000

const kept = (place: Place): Place => {
  onTestFinished(place.remove)
  return place
}

async function started(env: Place['env']) {
  const service = await startService(env)
  onTestFinished(async () => void (await service.stop('SIGKILL')))
  return service
}

async function connect(connectionString: string) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

onPostgresql(
  'a valid key is good, however the database is set at the start and set later',
  async () => {
    const place = kept(await newPlace({ empty: true }))
    const DATABASE_URL = (await emptyUrl()) as string
    const name = `database "${new URL(DATABASE_URL).pathname.slice(1)}"`
    const operator = await connect(DATABASE_URL)
    for (const text of setOddly(name)) await operator.query(text)
    const service = await started({ ...place.env, DATABASE_URL })
    expect((await call(service, service.key, '/settings')).status).toBe(200)

    await operator.query(`alter ${name} set datestyle = 'SQL, DMY'`)
    await operator.query(`alter ${name} set timezone = 'America/St_Johns'`)
    await operator.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
    )
    const read = await patientCall(service, service.key, '/settings')
    expect([read.status, read.body.error]).toEqual([200, undefined])
    const written = await patientCall(service, service.key, '/settings', {
      method: 'PUT',
      body: { timezone: 'Europe/Vienna' },
    })
    expect([written.status, written.body.data?.timezone]).toEqual([200, 'Europe/Vienna'])
  },
  SLOW_MS,
)

onEmbedded(
  'a valid key is good, however the embedded database is set',
  async () => {
    const { env } = kept(await demoPlace())
    const driver = await openEmbedded(env.DATA_DIR as string)
    for (const text of setOddly('system')) await driver.pglite.exec(text)
    await driver.close()
    const service = await started(env)
    expect((await call(service, service.key, '/settings')).status).toBe(200)
  },
  SLOW_MS,
)

onPostgresql('a clock of the database that cannot be read ends the start with one line', async () => {
  const { env } = kept(await newPlace())
  const operator = await connect(env.DATABASE_URL as string)
  await operator.query(
    `create or replace function pg_catalog.clock_timestamp() returns timestamptz language sql volatile
     as $$ select 'infinity'::timestamptz $$`,
  )
  const { code, stderr } = await runProgram('src/entry.js', { ...env, DEMO_DATA: 'off', LOG_LEVEL: 'fatal' })
  expect([code, stderr]).toEqual([
    1,
    'The clock of the database cannot be read: The database sent a time that cannot be read: infinity\n',
  ])
})
