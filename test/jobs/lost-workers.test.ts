/** A job that ends each process that takes it, beside the job of another tenant. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { enqueue } from '../../src/jobs/enqueue.ts'
import { cloneUrl, openTestDatabase } from '../setup/database.ts'
import { until } from '../setup/until.ts'
import { countSlowly, kill, TABLES } from './effects.ts'
import { jobService, TENANCY } from './service.ts'
import { startWorkers } from './workers.ts'

const LOST_MS = 60_000

test.runIf(process.env.DATABASE_URL)(
  'a job that ends its worker is given up after three, and the next worker does the job of another tenant',
  { timeout: 5 * LOST_MS },
  async () => {
    const url = (await cloneUrl()) ?? ''
    const database = await openTestDatabase(url)
    const service = await jobService([kill, countSlowly], { database })
    for (const table of TABLES) await service.rows(table)
    await service.call(async (ctx) => {
      await enqueue(ctx, kill, { number: 1 })
      const viewer = { ...ctx.viewer, ...TENANCY, tenant_id: 'ten_other' } as typeof ctx.viewer
      await enqueue({ ...ctx, viewer }, countSlowly, { number: 2 })
    })
    const workers = startWorkers(url, 'kills', {}, 1)
    onTestFinished(async () => {
      workers.kill()
      await service.app.close(1000)
      await database.close()
    })

    const dead = () =>
      service.rows<{ error: string }>(
        "select output->>'message' as error from pgboss.job where name = 'dead_letters'",
      )
    const effects = () => service.rows<{ number: number }>('select number from effect')
    let lost = 0
    await until(async () => {
      if (workers.running() === 0) {
        lost++
        workers.replaceOne()
      }
      return (await dead()).length > 0 && (await effects()).length > 0
    }, 4 * LOST_MS)
    expect(lost).toBe(3)
    expect(await dead()).toEqual([{ error: '3 workers were lost with the job' }])
    expect(await effects()).toEqual([{ number: 2 }])
    await sleep(2000)
    expect(workers.running()).toBe(1)
    const attempts = await service.rows<{ number: number }>('select number from attempt where number = 1')
    expect(attempts).toHaveLength(3)
  },
)
