/** Followers of the feed that docs/events.md shows, beside writers whose transactions commit in any order. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { raisedBy } from '../../../src/db/live/raise.ts'
import { startApp, testApp } from '../../setup/app.ts'
import { migratedDatabase } from '../../setup/database.ts'
import { addEvents } from '../../setup/events.ts'
import { POSTGRESQL_PROGRAMS, startPostgresql } from '../../setup/postgresql.ts'
import { subscribe } from '../../setup/streams.ts'
import { until } from '../../setup/until.ts'
import { type Msp, world } from '../../setup/world.ts'

const TYPE = 'dispatch.suggested'

async function program(): Promise<string> {
  const text = await readFile('docs/events.md', 'utf8')
  const [, block = ''] = /^```js\n(.*?)^```$/ms.exec(text) ?? []
  return block
}

/** A follower as its readers run it, with what it has stored. */
async function follower(base: string, token: string) {
  const folder = await mkdtemp(join(tmpdir(), 'follower-'))
  const code = await program()
  let child: ChildProcess | null = null
  const start = (): void => {
    child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
      cwd: folder,
      env: { BASE_URL: base, API_KEY: token },
      stdio: 'ignore',
    })
  }
  async function kill(): Promise<void> {
    const ended = child?.exitCode === null && child.signalCode === null ? once(child, 'exit') : null
    child?.kill('SIGKILL')
    await ended
  }
  onTestFinished(async () => {
    await kill()
    await rm(folder, { recursive: true })
  })
  start()
  return {
    start,
    kill,
    async stored(): Promise<string[]> {
      const text = await readFile(join(folder, 'events.ndjson'), 'utf8').catch(() => '')
      return text
        .trimEnd()
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [JSON.parse(line).id]))
    },
  }
}

const inFeed = async ({ database, tenant_id }: Msp): Promise<string[]> => {
  const rows = await database.prisma.liveEvent.findMany({
    where: { tenant_id, type: TYPE },
    orderBy: { sequence: 'asc' },
  })
  return rows.map(({ event_id }) => String(event_id))
}

test('the ten lines survive restarts of the follower, and store every event once', async () => {
  const [msp, { base }] = await Promise.all([world(), testApp()])
  expect((await program()).trimEnd().split('\n')).toHaveLength(10)
  const raise = (count: number) =>
    addEvents(
      msp,
      Array.from({ length: count }, () => ({ type: TYPE })),
    )
  await raise(450)
  const one = await follower(base, msp.key.token)
  await until(async () => (await one.stored()).length > 0)
  await one.kill()
  await raise(3)
  one.start()
  await until(async () => (await one.stored()).length >= 453)
  await raise(1)
  await until(async () => (await one.stored()).length >= 454)
  expect(await one.stored()).toEqual(await inFeed(msp))
})

const WRITERS = 200
const EACH = 5

test.skipIf(!POSTGRESQL_PROGRAMS)(
  'beside 200 writers, three followers that are killed and two subscribers get every event once, in one order',
  { timeout: 300_000 },
  async () => {
    const postgresql = await startPostgresql({ max_connections: '260' })
    const database = await migratedDatabase(postgresql.url)
    const { app, base } = await startApp(database)
    const pool = new pg.Pool({ connectionString: postgresql.url, max: WRITERS })
    onTestFinished(async () => {
      await pool.end()
      await app.close(1000)
      await database.close()
      await postgresql.remove()
    })
    const msp = await world(database)
    const followers = await Promise.all([0, 1, 2].map(() => follower(base, msp.key.token)))

    // A subscriber who loses its connection goes on after the last event that it has.
    const streamed: string[] = []
    let is_over = false
    async function subscriber(): Promise<void> {
      while (!is_over) {
        const last = streamed.at(-1)
        const headers = last ? { 'last-event-id': last } : { 'last-event-id': `evt_${'0'.repeat(32)}` }
        const stream = await subscribe(msp.key, 'subscription { event_feed { id } }', { base, headers })
        await sleep(50 + Math.random() * 400)
        stream.close()
        await stream.ended
        streamed.push(...stream.updates().map(({ id }) => id))
      }
    }
    const steady = await subscribe(msp.key, 'subscription { event_feed { id } }', { base })
    await until(() => steady.begins() !== undefined)
    const subscribing = subscriber()

    let committed = 0
    async function write(writer: number): Promise<void> {
      const client = await pool.connect()
      try {
        for (let n = 0; n < EACH; n++) {
          const events = Array.from({ length: 1 + Math.floor(Math.random() * 3) }, (_, place) => ({
            type: TYPE,
            entity_id: `${writer}.${n}.${place}`,
            data: {},
          }))
          await client.query('begin')
          await client.query(raisedBy('$3'), [msp.tenant_id, msp.environment, JSON.stringify(events)])
          await sleep(Math.random() * 60)
          const is_kept = Math.random() > 0.1
          await client.query(is_kept ? 'commit' : 'rollback')
          if (is_kept) committed += events.length
        }
      } finally {
        client.release()
      }
    }
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))
    for (let n = 0; n < 9; n++) {
      const one = followers[n % 3]
      await sleep(100 + Math.random() * 200)
      await one?.kill()
      one?.start()
    }
    await writing
    await until(async () => (await inFeed(msp)).length === committed, 90_000)
    for (const one of followers) await until(async () => (await one.stored()).length >= committed, 90_000)
    await until(() => steady.updates().length >= committed, 90_000)
    await until(() => streamed.length >= committed, 90_000)
    is_over = true
    await subscribing

    const feed = await inFeed(msp)
    expect(new Set(feed).size).toBe(committed)
    for (const one of followers) expect(await one.stored()).toEqual(feed)
    expect(steady.ids()).toEqual(feed)
    expect(streamed).toEqual(feed)
    steady.close()
  },
)
