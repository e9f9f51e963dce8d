/** The requests that a tenant makes to a vendor at once, over several processes. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createPlaces, ownLeases, type PlaceLeases } from '../../../src/connectors/http/places.ts'
import { until } from '../../setup/until.ts'

const KEY = 'ten_1 AUTOTASK_PSA'
const always = new AbortController().signal
const reason = new Error('Nobody waits')

afterEach(() => {
  vi.useRealTimers()
})

/** Leases that are counted. */
function counted() {
  const leases = ownLeases()
  const count = { leased: 0, asked: 0 }
  const shared: PlaceLeases = {
    async take(key, most, wanted) {
      count.asked++
      const places = await leases.take(key, most, wanted)
      count.leased += places.length
      return places
    },
    async give(key, place) {
      await leases.give(key, place)
      count.leased--
    },
  }
  return { count, shared }
}

const outcomeOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error)

describe('the leases of a process that is alone', () => {
  it('are of free places only, up to as many as are wanted', async () => {
    const leases = ownLeases()
    expect(await leases.take(KEY, 3, 2)).toEqual([0, 1])
    expect(await leases.take(KEY, 3, 2)).toEqual([2])
    expect(await leases.take(KEY, 3, 2)).toEqual([])
    expect(await leases.take('other', 3, 1)).toEqual([0])
    await leases.give(KEY, 1)
    expect(await leases.take(KEY, 3, 2)).toEqual([1])
  })
})

describe('the places of requests', () => {
  it('are never more than the most over all processes, and each request gets one', async () => {
    const { count, shared } = counted()
    const processes = Array.from({ length: 3 }, () => createPlaces(shared))
    let [busy, highest, done] = [0, 0, 0]
    const request = async (places: ReturnType<typeof createPlaces>) => {
      const leave = await places.enter(KEY, { most: 3, rank: 0 }, always)
      highest = Math.max(highest, ++busy)
      for (let step = 0; step < 3; step++) await nextTurn()
      busy--
      done++
      leave()
    }
    await Promise.all(processes.flatMap((places) => Array.from({ length: 30 }, () => request(places))))
    expect([highest, done]).toEqual([3, 90])
    await until(() => count.leased === 0)
  })

  it('of one key keep no request of another waiting', async () => {
    const places = createPlaces(ownLeases())
    const leave = await places.enter(KEY, { most: 1, rank: 0 }, always)
    const leave_other = await places.enter('ten_2 AUTOTASK_PSA', { most: 1, rank: 0 }, always)
    leave()
    leave_other()
  })

  it('are handed on in the order in which requests came', async () => {
    const places = createPlaces(ownLeases())
    const order: number[] = []
    await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const leave = await places.enter(KEY, { most: 2, rank: 0 }, always)
        order.push(index)
        await nextTurn()
        leave()
      }),
    )
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })

  it('are given back by a process that is busy, so that others have one', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const { count, shared } = counted()
    const [busy, other] = [createPlaces(shared), createPlaces(shared)]
    let is_over = false
    const requests = Array.from({ length: 4 }, async () => {
      while (!is_over) {
        const leave = await busy.enter(KEY, { most: 1, rank: 0 }, always)
        await nextTurn()
        vi.advanceTimersByTime(100)
        leave()
      }
    })
    const leave = await other.enter(KEY, { most: 1, rank: 0 }, always)
    is_over = true
    leave()
    await Promise.all(requests)
    await until(() => count.leased === 0)
  })

  it('are used for request after request without another lease', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
    const { count, shared } = counted()
    const places = createPlaces(shared)
    for (let request = 0; request < 10; request++) {
      const leave = await places.enter(KEY, { most: 2, rank: 0 }, always)
      leave()
    }
    expect(count).toEqual({ leased: 1, asked: 1 })
    await vi.advanceTimersByTimeAsync(200)
    expect(count.leased).toBe(0)
  })

  it('that cannot be asked for keep nobody waiting, and are not given back', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const given: number[] = []
    const places = createPlaces({
      take: () => Promise.reject(new Error('The places did not answer')),
      give: async (_key, place) => void given.push(place),
    })
    const leaves = await Promise.all(
      Array.from({ length: 20 }, () => places.enter(KEY, { most: 2, rank: 0 }, always)),
    )
    for (const leave of leaves) leave()
    await vi.advanceTimersByTimeAsync(1000)
    expect(given).toEqual([])
  })
})

describe('a request that nobody waits for any more', () => {
  it('asks for no place', async () => {
    const { count, shared } = counted()
    const outcome = outcomeOf(
      createPlaces(shared).enter(KEY, { most: 1, rank: 0 }, AbortSignal.abort(reason)),
    )
    expect(await outcome).toBe(reason)
    expect(count.asked).toBe(0)
  })

  it('takes no place: the next has it', async () => {
    const { count, shared } = counted()
    const places = createPlaces(shared)
    const leave = await places.enter(KEY, { most: 1, rank: 0 }, always)
    const left = new AbortController()
    const outcome = outcomeOf(places.enter(KEY, { most: 1, rank: 0 }, left.signal))
    const next = places.enter(KEY, { most: 1, rank: 0 }, always)
    left.abort(reason)
    expect(await outcome).toBe(reason)
    leave()
    const leave_next = await next
    leave_next()
    await until(() => count.leased === 0)
  })

  it('leaves no place leased that is leased for it meanwhile', async () => {
    const { count, shared } = counted()
    const places = createPlaces(shared)
    const left = new AbortController()
    const outcome = outcomeOf(places.enter(KEY, { most: 1, rank: 0 }, left.signal))
    left.abort(reason)
    expect(await outcome).toBe(reason)
    await until(() => count.asked === 1 && count.leased === 0)
    const leave = await createPlaces(shared).enter(KEY, { most: 1, rank: 0 }, always)
    leave()
    await until(() => count.leased === 0)
  })
})
