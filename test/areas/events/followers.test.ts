/** Followers of the feed that docs/events.md shows, beside writers whose transactions commit in any order. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { BEFORE_FIRST } from '../../../src/areas/events/rules.ts'
import { raisedBy } from '../../../src/db/live/raise.ts'
import { startApp, testApp } from '../../setup/app.ts'
import { migratedDatabase } from '../../setup/database.ts'
import { addEvents } from '../../setup/events.ts'
import { POSTGRESQL_PROGRAMS, startPostgresql } from '../../setup/postgresql.ts'
import { type Stream, subscribe } from '../../setup/streams.ts'
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
    /** Cuts off the last line, as a kill may during a write. */
    async cut(): Promise<void> {
      const log = join(folder, 'events.ndjson')
      await truncate(log, (await stat(log)).size - 10)
    },
    async stored(): Promise<string[]> {
      const text = await readFile(join(folder, 'events.ndjson'), 'utf8').catch(() => '')
      // The last line is still being written, or empty.
      const lines = text.split('\n').slice(0, -1)
      return lines.map((line) => JSON.parse(line).id)
    },
  }
}

/**
 * A subscriber from the beginning of the feed, who goes on after the last event once a stream has ended: an outage of the
 * database interrupts streams. `stays` resolves when the subscriber ends a stream.
 */
function subscriber(msp: Msp, base: string, stays = () => new Promise<void>(() => {})) {
  const of_ended: string[] = []
  const left = Promise.withResolvers<void>()
  let [stream, has_left]: [Stream | null, boolean] = [null, false]
  const got = (): string[] => [...of_ended, ...(stream?.ids() ?? [])]
  async function go(): Promise<void> {
    while (!has_left) {
      const headers = { 'last-event-id': of_ended.at(-1) ?? BEFORE_FIRST }
      stream = await subscribe(msp.key, 'subscription { event_feed { id } }', { base, headers })
      await Promise.race([stream.ended, stays(), left.promise])
      stream.close()
      await stream.ended
      of_ended.push(...stream.ids())
      stream = null
    }
  }
  const going = go()
  return {
    got,
    async leave(): Promise<void> {
      has_left = true
      left.resolve()
      await going
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
  const lines = (await program()).trimEnd().split('\n')
  expect(lines.filter((line) => line !== '}')).toHaveLength(10)
  const raise = (count: number) =>
    addEvents(
      msp,
      Array.from({ length: count }, () => ({ type: TYPE })),
    )
  await raise(450)
  const one = await follower(base, msp.key.token)
  await until(async () => (await one.stored()).length > 0)
  await one.kill()
  await one.cut()
  await raise(3)
  one.start()
  await until(async () => (await one.stored()).length >= 453)
  await raise(1)
  await until(async () => (await one.stored()).length >= 454)
  expect(await one.stored()).toEqual(await inFeed(msp))
})

/** 60, or as many as `TEST_WRITERS` says. */
const WRITERS = Number(process.env.TEST_WRITERS ?? 60)
const EACH = 5
/** Two of each follower, or three beside as many writers as the feed is made for. */
const KILLS = WRITERS < 200 ? 6 : 9

test.skipIf(!POSTGRESQL_PROGRAMS)(
  'beside many writers, three followers that are killed and two subscribers get every event once, in one order',
  { timeout: 300_000 },
  async () => {
    const postgresql = await startPostgresql({ max_connections: String(WRITERS + 60) })
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

    const [steady, restless] = [
      subscriber(msp, base),
      subscriber(msp, base, () => sleep(50 + Math.random() * 400)),
    ]

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
    for (let n = 0; n < KILLS; n++) {
      const one = followers[n % 3]
      await sleep(100 + Math.random() * 200)
      await one?.kill()
      one?.start()
    }
    await writing
    await until(async () => (await inFeed(msp)).length === committed, 90_000)
    for (const one of followers) await until(async () => (await one.stored()).length >= committed, 90_000)
    for (const one of [steady, restless]) await until(() => one.got().length >= committed, 90_000)
    await Promise.all([steady.leave(), restless.leave()])

    const feed = await inFeed(msp)
    expect(new Set(feed).size).toBe(committed)
    for (const one of followers) expect(await one.stored()).toEqual(feed)
    expect(steady.got()).toEqual(feed)
    expect(restless.got()).toEqual(feed)
  },
)
