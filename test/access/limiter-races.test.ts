import { setTimeout as sleep } from 'node:timers/promises'
/** PostgreSQL only: the embedded database has one connection, on which nothing races. */
import { expect, test } from 'vitest'
import { createLimiter } from '../../src/access/limits/limiter.ts'
import type { Rate } from '../../src/access/limits/rules.ts'
import type { Database } from '../../src/db/database.ts'
import { cloneUrl, openTestDatabase } from '../setup/database.ts'

const onPostgresql = test.skipIf(!process.env.DATABASE_URL)

async function withProcesses(count: number, work: (processes: Database[]) => Promise<void>): Promise<void> {
  const url = await cloneUrl()
  if (url === null) throw new Error('This needs PostgreSQL')
  const processes = await Promise.all(Array.from({ length: count }, () => openTestDatabase(url)))
  try {
    await work(processes)
  } finally {
    await Promise.all(processes.map((database) => database.close()))
  }
}

const limiterOn = ({ sql }: Database) => createLimiter({ sql })

onPostgresql('processes that hammer one bucket together get its quota and refill, no more', async () => {
  await withProcesses(3, async (processes) => {
    const rate: Rate = { name: 'hammered', quota: 300, window_seconds: 3 }
    const started = performance.now()
    let granted = 0
    await Promise.all(
      processes.map(async (database) => {
        const limiter = limiterOn(database)
        // Without the refill it would never be as much.
        while (granted < 450) {
          const decisions = await Promise.all(Array.from({ length: 20 }, () => limiter.take(rate, 'k')))
          granted += decisions.filter((decision) => decision.allowed).length
          await sleep(1)
        }
        await limiter.release()
      }),
    )
    const seconds = (performance.now() - started) / 1000
    expect(granted).toBeLessThanOrEqual(300 + seconds * 100)
  })
})

onPostgresql('many buckets leased, returned and swept at once neither deadlock nor grow', async () => {
  await withProcesses(3, async (processes) => {
    const rate: Rate = { name: 'wide', quota: 100, window_seconds: 100_000 }
    const used = new Map<string, number>()
    await Promise.all(
      processes.map(async (database, place) => {
        for (let round = 0; round < 8; round++) {
          const limiter = limiterOn(database)
          const keys = Array.from({ length: 40 }, (_, key) => `k${place % 2 ? key : 39 - key}`)
          await Promise.all(
            keys.map(async (key) => {
              const { allowed } = await limiter.take(rate, key, 1 + (round % 3))
              if (allowed) used.set(key, (used.get(key) ?? 0) + 1 + (round % 3))
            }),
          )
          await Promise.all([limiter.release(), limiter.sweep()])
        }
      }),
    )
    const rows = (await processes[0]?.prisma.rateBucket.findMany()) ?? []
    expect(rows).toHaveLength(40)
    for (const { key, tokens } of rows) {
      const spent = used.get(key.split(':')[1] ?? '') ?? 0
      expect(Math.abs(100 - spent - tokens)).toBeLessThan(0.1)
    }
  })
})
