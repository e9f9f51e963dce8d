import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { enqueue } from '../../src/jobs/enqueue.ts'
import { cloneUrl, openTestDatabase } from '../setup/database.ts'
import { until } from '../setup/until.ts'
import { count, TABLES } from './effects.ts'
import { jobService } from './service.ts'
import { startWorkers, WORKERS } from './workers.ts'

const JOBS = 1000
const KILLS = 6

test.runIf(process.env.DATABASE_URL)(
  'of jobs whose workers are killed at random, none is lost and each has its effect once',
  { timeout: 180_000 },
  async () => {
    const url = (await cloneUrl()) ?? ''
    const database = await openTestDatabase(url)
    const service = await jobService([count], { database })
    for (const table of TABLES) await service.rows(table)
    const workers = startWorkers(url, 'counts')
    onTestFinished(async () => {
      workers.kill()
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

    const killed = new Set<number>()
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(200 + Math.random() * 800)
      killed.add(workers.replaceOne())
    }
    const open = () =>
      service.rows("select 1 from pgboss.job where name = 'numbers.count' and state < 'completed'")
    await until(async () => (await open()).length === 0, 120_000)

    const [result] = await service.rows<object>(
      `select count(*) as effects, count(distinct number) as numbers,
         (select count(*) from pgboss.job where name = 'dead_letters') as dead from effect`,
    )
    expect(result).toEqual({ effects: JOBS, numbers: JOBS, dead: 0 })

    const attempts = await service.rows<{ number: number; process: number }>(
      'select number, process from attempt order by number, at',
    )
    const taken_over = attempts.filter(({ number }, index) => {
      const before = attempts[index - 1]
      return before?.number === number && killed.has(before.process)
    })
    expect(taken_over.length).toBeGreaterThan(0)
  },
)
