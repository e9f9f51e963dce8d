import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { enqueue } from '../../src/jobs/enqueue.ts'
import { cloneUrl, openTestDatabase } from '../setup/database.ts'
import { until } from '../setup/until.ts'
import { count, TABLES } from './effects.ts'
import { jobService } from './service.ts'

const ROOT = join(import.meta.dirname, '../..')
const JOBS = 1000
const WORKERS = 3
const KILLS = 6
const TAKEN_OVER_MS = 30_000

interface Killed {
  process: number
  at: number
}

const startWorker = (url: string): ChildProcess =>
  spawn(join(ROOT, 'node_modules/.bin/node'), [join(ROOT, 'test/jobs/worker-process.ts')], {
    env: { PATH: process.env.PATH, DATABASE_URL: url, ENVIRONMENT: 'test' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })

test.runIf(process.env.DATABASE_URL)(
  'of jobs whose workers are killed at random, none is lost and each has its effect once',
  { timeout: 180_000 },
  async () => {
    const url = (await cloneUrl()) ?? ''
    const database = await openTestDatabase(url)
    const service = await jobService([count], pino({ level: 'silent' }), {}, database)
    for (const table of TABLES) await service.rows(table)
    const workers = Array.from({ length: WORKERS }, () => startWorker(url))
    onTestFinished(async () => {
      for (const worker of workers) worker.kill('SIGKILL')
      await service.app.close(1000)
      await database.close()
    })

    for (let number = 0; number < JOBS; number += 100) {
      await service.call(async (ctx) => {
        for (let next = number; next < number + 100; next++) await enqueue(ctx, count, { number: next })
      })
    }
    const atWork = () => service.rows('select distinct process from attempt')
    await until(async () => (await atWork()).length === WORKERS)

    const killed: Killed[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(200 + Math.random() * 800)
      const [worker] = workers.splice(Math.floor(Math.random() * workers.length), 1)
      killed.push({ process: worker?.pid ?? 0, at: Date.now() })
      worker?.kill('SIGKILL')
      workers.push(startWorker(url))
    }
    const open = () =>
      service.rows("select 1 from pgboss.job where name = 'numbers.count' and state < 'completed'")
    await until(async () => (await open()).length === 0, 120_000)

    const [result] = await service.rows<object>(
      `select count(*) as effects, count(distinct number) as numbers,
         (select count(*) from pgboss.job where name = 'dead_letters') as dead from effect`,
    )
    expect(result).toEqual({ effects: JOBS, numbers: JOBS, dead: 0 })

    const attempts = await service.rows<{ number: number; process: number; at: Date }>(
      'select number, process, at from attempt order by number, at',
    )
    const waits = attempts.flatMap(({ number, at }, index) => {
      const before = attempts[index - 1]
      const lost = before?.number === number && killed.find(({ process }) => process === before.process)
      return lost ? [at.getTime() - lost.at] : []
    })
    expect(waits.length).toBeGreaterThan(0)
    expect(Math.max(...waits)).toBeLessThan(TAKEN_OVER_MS)
  },
)
