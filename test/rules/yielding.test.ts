import { describe, expect, it, vi } from 'vitest'
import { addAll } from '../../src/areas/company-links/resolution/indexed-names.ts'
import { recentValues } from '../../src/lib/recent-values.ts'
import { createYield } from '../../src/lib/yielding.ts'

describe('long work', () => {
  it('lets other work go on once a millisecond has passed, however many steps they were', async () => {
    let now = 0
    const pauses: number[] = []
    const yieldNow = createYield(
      () => now,
      async () => {
        pauses.push(now)
        now += 100
      },
    )
    for (const step_ms of [0.4, 0.4, 0.4, 0, 0, 0.9, 5, 0.5]) {
      now += step_ms
      await yieldNow()
    }
    expect(pauses.map(Math.round)).toEqual([1, 107])
  })

  it('goes on after what waits for the event loop', async () => {
    let now = 0
    const yieldNow = createYield(() => now)
    const order: string[] = []
    setImmediate(() => order.push('other work'))
    await yieldNow()
    order.push('within the slice')
    now = 10
    await yieldNow()
    order.push('after the slice')
    expect(order).toEqual(['within the slice', 'other work', 'after the slice'])
  })

  it('has one slice in each turn of the event loop, whatever else is long', async () => {
    let now = 0
    let turn = 0
    let is_over = false
    const count = () => {
      turn++
      if (!is_over) setImmediate(count)
    }
    setImmediate(count)
    const turns: number[] = []
    await Promise.all(
      Array.from({ length: 3 }, async () => {
        const yieldNow = createYield(() => now)
        for (let slice = 0; slice < 4; slice++) {
          now += 10
          await yieldNow()
          turns.push(turn)
        }
      }),
    )
    is_over = true
    expect(new Set(turns).size).toBe(turns.length)
  })

  it('asks before each item whether the slice is over', async () => {
    const items: number[] = []
    const seen: number[] = []
    await addAll({ add: (item: number) => void items.push(item) }, [7, 8, 9], async () => {
      seen.push(items.length)
    })
    expect([items, seen]).toEqual([
      [7, 8, 9],
      [0, 1, 2],
    ])
  })
})

describe('recent values', () => {
  it('are made once for each name, and of too many the one that was asked for longest ago is forgotten', async () => {
    const values = recentValues<string>({ most: 2, idle_ms: 60_000 })
    const made: string[] = []
    const get = (name: string) =>
      values.get(name, async () => {
        made.push(name)
        return name.toUpperCase()
      })
    const answers = await Promise.all(['a', 'b', 'a', 'c', 'a', 'b'].map(get))
    expect(answers).toEqual(['A', 'B', 'A', 'C', 'A', 'B'])
    expect(made).toEqual(['a', 'b', 'c', 'b'])
  })

  it('are forgotten when nobody has asked for them for a time, and failures at once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const values = recentValues<number>({ most: 2, idle_ms: 1000 })
      let made = 0
      const get = () => values.get('a', async () => ++made)
      expect(await get()).toBe(1)
      vi.advanceTimersByTime(999)
      expect(await get()).toBe(1)
      vi.advanceTimersByTime(999)
      expect(await get()).toBe(1)
      vi.advanceTimersByTime(1000)
      expect(await get()).toBe(2)
      await expect(values.get('b', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
      expect(await values.get('b', async () => 9)).toBe(9)
    } finally {
      vi.useRealTimers()
    }
  })
})
