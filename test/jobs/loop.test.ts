import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { LOOPS } from '../../src/composition/jobs.ts'
import type { Loop } from '../../src/jobs/loop.ts'
import { until } from '../setup/until.ts'
import { jobService } from './service.ts'

async function service(loops: readonly Loop[], env: Record<string, string> = {}) {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
  const { app, database } = await jobService([], { log, env, loops })
  let closed: Promise<void> | undefined
  const close = (ms = 1000) => {
    closed ??= app.close(ms)
    return closed
  }
  onTestFinished(() => close())
  return { app, database, close, lines: () => lines.filter((line) => line.includes('"loop"')) }
}

test('a loop is run again and again, although runs fail, which the log says once', async () => {
  let runs = 0
  const failing: Loop = {
    name: 'notes.look',
    interval_ms: 1,
    run: async () => {
      runs++
      if (runs < 5) throw new Error('No luck')
    },
  }
  const { app, lines } = await service([failing])
  app.work()
  await until(() => runs > 6)
  expect(lines()).toHaveLength(1)
  expect(lines()[0]).toMatch(/"loop":"notes.look".*No luck/)
})

test('a loop that waits for its next run holds no connection, and does not keep the process from stopping', async () => {
  let runs = 0
  const rare: Loop = {
    name: 'notes.look',
    interval_ms: 60_000,
    run: async ({ services }) => {
      await services.database.ping()
      runs++
    },
  }
  const { app, database, close } = await service([rare])
  app.work()
  await until(() => runs === 1)
  await until(() => database.load().total === database.load().idle || database.kind === 'embedded')
  const started = performance.now()
  await close(30_000)
  expect(performance.now() - started).toBeLessThan(15_000)
  expect(runs).toBe(1)
})

test('a process that stops waits for the run that goes on, which is told to end', async () => {
  const seen = { started: false, aborted: false, ended: false }
  const slow: Loop = {
    name: 'notes.look',
    interval_ms: 1,
    run: async ({ signal }) => {
      seen.started = true
      await sleep(60_000, undefined, { signal }).catch(() => {})
      seen.aborted = signal.aborted
      await sleep(50)
      seen.ended = true
    },
  }
  const { app, close } = await service([slow])
  app.work()
  await until(() => seen.started)
  await close(30_000)
  expect(seen).toEqual({ started: true, aborted: true, ended: true })
})

test('a process that only answers requests runs no loop', async () => {
  let runs = 0
  const { app, close } = await service(
    [{ name: 'notes.look', interval_ms: 1, run: async () => void runs++ }],
    { ROLE: 'api', DATABASE_URL: 'postgres://nobody@localhost/nothing' },
  )
  app.work()
  await close()
  expect(runs).toBe(0)
})

test('each loop has a name of its own, and what somebody waits for is looked for at least every two seconds', () => {
  expect(new Set(LOOPS.map(({ name }) => name)).size).toBe(LOOPS.length)
  const slow = LOOPS.filter(({ interval_ms }) => interval_ms > 2000)
  expect(slow.map(({ name }) => name)).toEqual([
    'api-keys.expiring',
    'audit-log.anchor_days',
    'inbox.tidy',
    'skills.give_built_in',
  ])
})
