import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, demoPlace, type Place, type Service, startService } from './service.ts'
import { type Wire, wireTo } from './wire.ts'

const DB_TIMEOUT_MS = 1000
const REQUEST_TIMEOUT_MS = 30_000

describe.runIf(process.env.DATABASE_URL)('a service whose PostgreSQL goes away', () => {
  let place: Place
  let wire: Wire
  let service: Service
  let database_url: string

  beforeAll(async () => {
    place = await demoPlace()
    database_url = place.env.DATABASE_URL ?? ''
    wire = await wireTo(database_url)
    const env = {
      ...place.env,
      DATABASE_URL: wire.url,
      DB_TIMEOUT_MS: String(DB_TIMEOUT_MS),
      REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT_MS),
    }
    wire.cut()
    const starting = startService(env)
    await sleep(1500)
    wire.restore()
    service = await starting
  })
  afterAll(async () => {
    await service?.stop('SIGKILL')
    wire?.close()
    await place?.remove()
  })

  const read = () => call(service, service.key, '/settings')
  const write = (name: string) =>
    call(service, service.key, '/settings', { method: 'PUT', body: { human_friendly_client_name: name } })

  async function expectUnavailable(answering: ReturnType<typeof call>) {
    const { status, headers, body } = await answering
    expect([status, body.error?.code]).toEqual([503, 'service_unavailable'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  }

  /** Readiness is asked of the database once a second. */
  async function expectReadiness(status: number) {
    const ready = async () => (await fetch(`${service.base}/readyz`)).status
    await expect.poll(ready, { timeout: 15_000 }).toBe(status)
  }

  async function expectRecovery() {
    const restored = performance.now()
    for (;;) {
      if ((await read()).status === 200 && (await write('after')).status === 200) break
      expect(performance.now() - restored).toBeLessThan(20_000)
      await sleep(50)
    }
    await expectReadiness(200)
  }

  test('waits for a database that is not there yet when it starts', async () => {
    await expectRecovery()
  })

  test('answers 503 with Retry-After while connections are refused, and recovers by itself', async () => {
    wire.cut()
    for (let round = 0; round < 3; round++) {
      await Promise.all([expectUnavailable(read()), expectUnavailable(write('lost'))])
    }
    expect((await fetch(`${service.base}/livez`)).status).toBe(200)
    await expectReadiness(503)
    wire.restore()
    await expectRecovery()
  })

  test('answers 503 in time while the database is frozen, and recovers by itself', async () => {
    wire.freeze()
    const asked = performance.now()
    const answering = Array.from({ length: 12 }, (_, index) =>
      expectUnavailable(index % 2 ? read() : write('held')),
    )
    await Promise.all(answering)
    // Sooner than the time for a whole request.
    expect(performance.now() - asked).toBeLessThan(REQUEST_TIMEOUT_MS)
    await expectReadiness(503)
    wire.restore()
    await expectRecovery()
  })

  test('answers 200 or 503, and nothing else, while its connections are ended again and again', async () => {
    const executioner = new pg.Client({ connectionString: database_url })
    await executioner.connect()
    const EXPECTED = ['200 ', '503 service_unavailable']
    const started = performance.now()
    const answers = new Map<string, number>()
    const isOver = () => {
      const ms = performance.now() - started
      return ms > 20_000 || (ms > 2500 && EXPECTED.every((answer) => answers.has(answer)))
    }
    const clients = Array.from({ length: 8 }, async (_, index) => {
      for (let count = 0; !isOver(); count++) {
        const { status, body } = await (index % 2 ? read() : write(`name ${index} ${count}`))
        const answer = `${status} ${body.error?.code ?? ''}`
        answers.set(answer, (answers.get(answer) ?? 0) + 1)
      }
    })
    let pause_ms = 15
    while (!isOver()) {
      await executioner.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      )
      // A slow machine needs longer for an answer between two ends.
      if (!answers.has('200 ')) pause_ms = Math.min(1000, pause_ms * 1.2)
      await sleep(pause_ms)
    }
    await Promise.all(clients)
    await executioner.end()
    expect([...answers.keys()].sort()).toEqual(EXPECTED)
    await expectRecovery()
  })
  test('stops when it is asked to, though the database is frozen', async () => {
    wire.freeze()
    const { code } = await service.stop()
    expect(code).toBe(0)
  })
})
