/** Connections to PostgreSQL that die without a word, as behind a failover or a NAT that forgets them. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { openDatabase } from '../../src/db/database.ts'
import { enqueue } from '../../src/jobs/enqueue.ts'
import { systemJob } from '../../src/jobs/job.ts'
import { cloneUrl } from '../setup/database.ts'
import { silentProxy } from '../setup/silent-proxy.ts'
import { until } from '../setup/until.ts'
import { jobService } from './service.ts'

const onServer = Boolean(process.env.DATABASE_URL)
const TIMEOUT_MS = 500

async function service() {
  const url = await cloneUrl()
  if (url === null) throw new Error('There is no PostgreSQL')
  const proxy = await silentProxy(url)
  onTestFinished(proxy.close)
  const open = (database_url: string, timeout_ms: number) =>
    openDatabase({ database_url, data_dir: '', pool_size: 4, timeout_ms })
  const [database, direct] = await Promise.all([open(proxy.url, TIMEOUT_MS), open(url, 15_000)])
  let done = 0
  const job = systemJob({
    name: 'notes.write',
    payload: z.object({}),
    transaction: false,
    handler: async () => void done++,
  })
  let elapsed = 0
  const made = await jobService([job], { database, elapsed: () => elapsed })
  const enqueuer = await jobService([job], { database: direct })
  const port = await made.app.server.listen(0, '127.0.0.1')
  onTestFinished(async () => {
    await Promise.all([made.app.close(0), enqueuer.app.close(0)])
    await direct.close()
    void database.close()
  })
  return {
    proxy,
    work: made.app.work,
    done: () => done,
    enqueueOne: () => enqueuer.call((ctx) => enqueue(ctx, job, {})),
    ready: async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status,
    later: (ms: number) => {
      elapsed += ms
    },
  }
}

describe.runIf(onServer)('a worker whose connections died without a word', () => {
  test('goes on over new ones, once its time-outs are over', async () => {
    const { proxy, work, enqueueOne, done } = await service()
    work()
    await enqueueOne()
    await until(() => done() === 1)
    proxy.silence()
    await enqueueOne()
    await until(() => done() === 2)
  })

  test('is not ready while it has found no way to look for jobs for half a minute', async () => {
    const { proxy, work, enqueueOne, done, ready, later } = await service()
    expect(await ready()).toBe(200)
    work()
    await enqueueOne()
    await until(() => done() === 1)
    later(29_000)
    expect(await ready()).toBe(200)
    proxy.cut()
    // An answer may be on its way.
    await until(async () => {
      later(30_000)
      return (await ready()) === 503
    })
    proxy.heal()
    await until(async () => (await ready()) === 200)
    await enqueueOne()
    await until(() => done() === 2)
  })
})
