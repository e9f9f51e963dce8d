import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createStatementQueue } from '../../src/db/embedded-queue.ts'
import { isOutage } from '../../src/db/errors.ts'

const refusedOf = async (all: Promise<unknown>[]): Promise<boolean[]> =>
  (await Promise.allSettled(all)).map((one) => one.status === 'rejected' && isOutage(one.reason))

test('one works at a time, in the order in which they came', async () => {
  const { run: turn } = createStatementQueue(10_000)
  const said: string[] = []
  const work = (name: string) => async () => {
    said.push(`${name} begins`)
    await sleep(2)
    said.push(`${name} ends`)
  }
  await Promise.all(['a', 'b', 'c'].map((name) => turn(work(name))))
  expect(said).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
})

test('one that fails keeps nobody from theirs', async () => {
  const { run: turn } = createStatementQueue(10_000)
  const failing = turn(() => Promise.reject(new Error('failed')))
  const after = turn(async () => 'after')
  await expect(failing).rejects.toThrow('failed')
  expect(await after).toBe('after')
})

test('who comes when the queue is slow is refused at once, and who waited for long is not kept waiting', async () => {
  const { run: turn } = createStatementQueue(300)
  const hold = turn(() => sleep(600))
  const waiting = refusedOf([turn(async () => 1), turn(async () => 2)])
  await sleep(200)
  const asked = performance.now()
  expect(await refusedOf([turn(async () => 3)])).toEqual([true])
  expect(performance.now() - asked).toBeLessThan(100)
  await hold
  expect(await waiting).toEqual([true, true])
  expect(await turn(async () => 4)).toBe(4)
})

test('who waits behind a long turn is refused in time, each after the same wait', async () => {
  const { run: turn, load } = createStatementQueue(200)
  const hold = turn(() => sleep(800))
  const started = performance.now()
  const waited = async () => {
    const [refused] = await refusedOf([turn(async () => 1)])
    return refused && performance.now() - started
  }
  const first = waited()
  await sleep(60)
  const second = waited()
  expect(await first).toBeGreaterThanOrEqual(200)
  expect(load().waiting).toBe(1)
  expect(await second).toBeGreaterThanOrEqual(260)
  expect(performance.now() - started).toBeLessThan(600)
  expect(load()).toEqual({ total: 1, idle: 0, waiting: 0 })
  await hold
  expect(load()).toEqual({ total: 1, idle: 1, waiting: 0 })
})

test('what has its turn is not refused, however late it comes', async () => {
  const { run: turn } = createStatementQueue(100)
  const busy = async () => {
    for (const until = performance.now() + 200; performance.now() < until; );
  }
  const all = [turn(() => sleep(20)), turn(busy), turn(async () => {})]
  expect(await refusedOf(all)).toEqual([false, false, false])
})

test('a long turn is no reason to refuse those after it', async () => {
  const { run: turn } = createStatementQueue(1000)
  await turn(() => sleep(600))
  const refused = await refusedOf(Array.from({ length: 20 }, () => turn(async () => {})))
  expect(refused).toEqual(refused.map(() => false))
})

test('who would wait for too many is refused at once', async () => {
  const { run: turn } = createStatementQueue(400)
  for (let count = 0; count < 20; count++) await turn(() => sleep(20))
  const asked = performance.now()
  const all = Array.from({ length: 30 }, () => turn(() => sleep(20)))
  const first = await Promise.race(
    all.map((one) =>
      one.then(
        () => false,
        () => true,
      ),
    ),
  )
  expect(first).toBe(true)
  expect(performance.now() - asked).toBeLessThan(20)
  const refused = (await refusedOf(all)).filter(Boolean).length
  expect(refused).toBeGreaterThan(10)
  expect(refused).toBeLessThan(27)
})

test('what waits is bounded, however patient', async () => {
  const { run: turn, load } = createStatementQueue(60_000)
  const hold = turn(() => sleep(50))
  expect(load()).toEqual({ total: 1, idle: 0, waiting: 0 })
  const refused = await refusedOf(Array.from({ length: 2100 }, () => turn(async () => {})))
  expect(refused.filter(Boolean)).toHaveLength(100)
  await hold
  expect(load()).toEqual({ total: 1, idle: 1, waiting: 0 })
})

test('turns that follow each other leave the process time for what comes meanwhile', async () => {
  const { run: turn } = createStatementQueue(60_000)
  const busy = () => {
    for (const until = performance.now() + 5; performance.now() < until; );
    return Promise.resolve()
  }
  const all = Promise.all(Array.from({ length: 60 }, () => turn(busy)))
  const started = performance.now()
  await new Promise((done) => setImmediate(done))
  expect(performance.now() - started).toBeLessThan(200)
  await all
})
