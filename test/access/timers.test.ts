/** The writes that timers make, without a request. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLimiter } from '../../src/access/limits/limiter.ts'
import { createUsage } from '../../src/access/usage.ts'
import type { Sql, Statement } from '../../src/db/sql.ts'
import { keyViewer } from './people.ts'

/** The service of earlier tests may wait for the rest, which would never come. */
const FAKED = ['setTimeout', 'clearTimeout', 'Date', 'performance'] as const

const now = () => new Date()
const rate = { name: 'any', quota: 100, window_seconds: 1000 }
const key = keyViewer({ id: 'key_a', name: 'Key' })

let written: { name: string; values: readonly unknown[] }[]
let down: boolean

const sql: Sql = {
  rows: async <Row>({ name }: Statement, values: readonly unknown[]) => {
    if (down) throw new Error('down')
    written.push({ name, values })
    return [{ granted: values[6], tokens: 50, burst_tokens: 50 }] as Row[]
  },
}

beforeEach(() => {
  written = []
  down = false
  vi.useFakeTimers({ toFake: [...FAKED] })
})

afterEach(() => {
  vi.useRealTimers()
})

const names = () => written.map(({ name }) => name)

test('usage is written within 15 seconds, and then only when there is more', async () => {
  const usage = createUsage({ sql, now })
  usage.seen(key, 'settings', false, '192.0.2.1')
  await vi.advanceTimersByTimeAsync(14_999)
  expect(names()).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(names()).toEqual(['api_key_last_seen', 'api_key_usage_add'])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(written).toHaveLength(2)
})

test('usage that could not be written is written 15 seconds later', async () => {
  const usage = createUsage({ sql, now })
  usage.seen(key, 'settings', false, '192.0.2.1')
  down = true
  await vi.advanceTimersByTimeAsync(15_000)
  down = false
  await vi.advanceTimersByTimeAsync(15_000)
  expect(names()).toEqual(['api_key_last_seen', 'api_key_usage_add'])
})

test('usage of ever more operations does not fill the memory', async () => {
  const usage = createUsage({ sql, now })
  for (let operation = 0; operation < 30_000; operation++) usage.seen(key, `${operation}`, false, '192.0.2.1')
  await usage.flush()
  expect(written.find(({ name }) => name === 'api_key_usage_add')?.values[0]).toHaveLength(20_000)
})

test('unused tokens go back when their lease has expired, unasked and once', async () => {
  const limiter = createLimiter({ sql })
  for (let i = 0; i < 4; i++) await limiter.take(rate, 'k')
  expect(names()).toEqual(['rate_bucket_lease', 'rate_bucket_lease', 'rate_bucket_lease'])
  await vi.advanceTimersByTimeAsync(9999)
  expect(written).toHaveLength(3)
  await vi.advanceTimersByTimeAsync(5001)
  expect(written.slice(3)).toMatchObject([
    { name: 'rate_bucket_return', values: [['any:k'], [100], [0.1], [100], [0.1], [3], null] },
  ])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(written).toHaveLength(4)
})

test('an outage while tokens go back is nobody’s error', async () => {
  const limiter = createLimiter({ sql })
  for (let i = 0; i < 4; i++) await limiter.take(rate, 'k')
  down = true
  await vi.advanceTimersByTimeAsync(20_000)
  down = false
  await limiter.release()
  expect(names()).not.toContain('rate_bucket_return')
})

test('nothing keeps the process alive, and nothing is written after a stop', async () => {
  const before = vi.getTimerCount()
  const limiter = createLimiter({ sql })
  await limiter.take(rate, 'k')
  expect(vi.getTimerCount()).toBe(before + 1)
  await limiter.release()
  expect(vi.getTimerCount()).toBe(before)
})
