import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createStatementQueue, type StatementQueue } from '../../src/db/embedded/queue.ts'
import { isOutage } from '../../src/db/errors.ts'

const refusedOf = async (all: Promise<unknown>[]): Promise<boolean[]> =>
  (await Promise.allSettled(all)).map((one) => one.status === 'rejected' && isOutage(one.reason))

/** A queue whose clock stands still but for what passes. */
function timed(patience_ms: number) {
  let elapsed = 0
  const { run: turn, load } = createStatementQueue(patience_ms, () => elapsed)
  const pass = (ms: number): void => {
    elapsed += ms
  }
  return { turn, load, pass }
}

/** A turn that lasts until it is let go. */
function held(turn: StatementQueue['run']) {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { hold: turn(() => promise), letGo: resolve }
}

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
  const { turn, pass } = timed(300)
  const { hold, letGo } = held(turn)
  const waiting = refusedOf([turn(async () => 1), turn(async () => 2)])
  pass(200)
  // No more time passes: whoever is not refused at once is never refused.
  expect(await refusedOf([turn(async () => 3)])).toEqual([true])
  pass(100)
  expect(await waiting).toEqual([true, true])
  letGo()
  await hold
  expect(await turn(async () => 4)).toBe(4)
})

test('who waits behind a long turn is refused in time, each after the same wait', async () => {
  const { turn, load, pass } = timed(100)
  const { hold, letGo } = held(turn)
  const first = refusedOf([turn(async () => 1)])
  pass(30)
  const second = refusedOf([turn(async () => 2)])
  pass(69)
  // The timer of the refusals runs by the real clock.
  await sleep(150)
  expect(load().waiting).toBe(2)
  pass(1)
  expect(await first).toEqual([true])
  expect(load().waiting).toBe(1)
  pass(30)
  expect(await second).toEqual([true])
  expect(load()).toEqual({ total: 1, idle: 0, waiting: 0 })
  letGo()
  await hold
  expect(load()).toEqual({ total: 1, idle: 1, waiting: 0 })
})

test('what has its turn is not refused, however late it comes', async () => {
  const { turn, pass } = timed(100)
  const all = [turn(async () => pass(20)), turn(async () => pass(200)), turn(async () => {})]
  expect(await refusedOf(all)).toEqual([false, false, false])
})

test('a long turn is no reason to refuse those after it', async () => {
  const { turn, pass } = timed(1000)
  await turn(async () => pass(600))
  const refused = await refusedOf(Array.from({ length: 20 }, () => turn(async () => {})))
  expect(refused).toEqual(refused.map(() => false))
})

test('who would wait for too many is refused at once', async () => {
  const { turn, pass } = timed(400)
  for (let count = 0; count < 20; count++) await turn(async () => pass(20))
  const { hold, letGo } = held(turn)
  const all = Array.from({ length: 29 }, () => turn(async () => pass(20)))
  const first = await Promise.race(
    all.map((one) =>
      one.then(
        () => false,
        () => true,
      ),
    ),
  )
  expect(first).toBe(true)
  letGo()
  await hold
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
  const { turn, pass } = timed(60_000)
  let done = 0
  const work = async () => {
    pass(5)
    done++
  }
  const all = Promise.all(Array.from({ length: 60 }, () => turn(work)))
  await new Promise((read) => setImmediate(read))
  expect(done).toBeGreaterThan(0)
  expect(done).toBeLessThan(10)
  await all
})
