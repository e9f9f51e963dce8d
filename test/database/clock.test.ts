/** The time of the service, which is the database's, whatever the clock of a process says. */
import { pino } from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { expireRequests } from '../../src/areas/til-requests/jobs.ts'
import { createClock, databaseTime } from '../../src/db/clock.ts'
import { unreadableTime } from '../../src/db/errors.ts'
import type { Sql } from '../../src/db/sql.ts'
import { addAgents, addExecutions } from '../setup/agents.ts'
import { startApp } from '../setup/app.ts'
import { addTilRequests } from '../setup/til-requests.ts'
import { until } from '../setup/until.ts'
import { days, world } from '../setup/world.ts'

const DATABASE = Date.parse('2026-03-01T12:00:00.000Z')

/** A clock on a database whose time is that of the test. Each question takes 10 ms. */
function clockWith(ahead_ms: number) {
  const time = { passed_ms: 0, ahead_ms, failure: null as Error | null, failures: 0 }
  const sql = {
    async rows() {
      if (time.failure) {
        time.failures++
        throw time.failure
      }
      time.passed_ms += 10
      return [{ now: new Date(DATABASE + time.passed_ms - 5) }]
    },
  } as unknown as Sql
  const lines: { level: number; seconds_ahead: number; err?: object }[] = []
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) })
  const clock = createClock({
    sql,
    log,
    wall: () => DATABASE + time.passed_ms + time.ahead_ms,
    elapsed: () => time.passed_ms,
  })
  onTestFinished(clock.stop)
  const shown = () => clock.now().getTime() - DATABASE - time.passed_ms
  return { clock, time, lines, shown }
}

it.each([0, days(4), -days(4)])('a clock that is %i ms ahead changes no time', async (ahead_ms) => {
  const { clock, time, lines, shown } = clockWith(ahead_ms)
  await clock.start()
  expect(Math.abs(shown())).toBeLessThanOrEqual(10)
  time.passed_ms += 7_000
  time.ahead_ms += days(1)
  expect(Math.abs(shown())).toBeLessThanOrEqual(10)
  expect(clock.agrees()).toBe(false)
  expect(lines.map(({ level, seconds_ahead }) => [level, seconds_ahead])).toEqual(
    ahead_ms === 0 ? [] : [[40, ahead_ms / 1000]],
  )
})

it('the database is read again every ten seconds, and what the log says follows', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { clock, time, lines } = clockWith(0)
  await clock.start()
  expect(clock.agrees()).toBe(true)
  for (const ahead_ms of [days(4), days(4), 0]) {
    time.ahead_ms = ahead_ms
    await vi.advanceTimersByTimeAsync(10_000)
  }
  expect(lines.map(({ level }) => level)).toEqual([40, 30])
  time.failure = Object.assign(new Error('lost'), { code: 'ECONNRESET' })
  await vi.advanceTimersByTimeAsync(20_000)
  expect(clock.agrees()).toBe(true)
})

it('a first reading that meets an outage is repeated', async () => {
  const { clock, time } = clockWith(days(4))
  time.failure = Object.assign(new Error('lost'), { code: 'ECONNRESET' })
  const starting = clock.start()
  await until(() => time.failures > 0)
  time.failure = null
  await starting
  expect(clock.agrees()).toBe(false)
})

it('a clock that cannot be read is an error of the start, and later one in the log', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const unreadable = clockWith(0)
  unreadable.time.failure = unreadableTime('infinity')
  await expect(unreadable.clock.start()).rejects.toThrow(
    /^The clock of the database cannot be read: .* cannot be read: infinity$/,
  )
  const { clock, time, lines, shown } = clockWith(0)
  await clock.start()
  time.failure = unreadableTime('infinity')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(lines).toMatchObject([
    { level: 50, err: { message: 'The database sent a time that cannot be read: infinity' } },
  ])
  expect(Math.abs(shown())).toBeLessThanOrEqual(10)
})

it('a process four days ahead expires nothing, is not ready, and says so', async () => {
  const msp = await world()
  await addAgents(msp, [{ id: 1 }])
  await addExecutions(msp, [{ execution_id: 'e', agent_id: 1 }])
  const soon = new Date((await databaseTime(msp.database.sql)).getTime() + days(1))
  await addTilRequests(msp, [{ id: 'r', agent_id: 1, execution_id: 'e', expires_at: soon }])
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
  const wall = () => Date.now() + days(4)
  const { app, base } = await startApp(msp.database, {}, log, { now: undefined, wall })
  onTestFinished(() => app.close(0))
  await app.synchronized()
  const { services } = app
  const { signal } = new AbortController()
  await expireRequests.run({ services, now: services.now(), signal, log })
  const where = { tenant_id: msp.tenant_id, id: 'r' }
  expect((await msp.database.prisma.tilRequest.findFirstOrThrow({ where })).status).toBe('PENDING')
  const ready = await fetch(`${base}/readyz`)
  expect([ready.status, (await ready.json()).error.message]).toEqual([
    503,
    'The clocks of the process and of the database differ by more than a minute.',
  ])
  expect(lines.join()).toContain('the clock of this process is wrong')
})
