/** The turns for connections. */
import { describe, expect, it } from 'vitest'
import { ConnectionShares } from '../../src/db/tenancy/connection-shares.ts'

interface Held {
  by: string
  /** null while it waits. */
  release: (() => void) | null
}

function poolOf(size: number, max_waiting = 100) {
  let now = 0
  const shares = new ConnectionShares({ size, max_waiting, patience_ms: 60_000, elapsed: () => now })
  const held: Held[] = []

  /** Wants so many connections for `by`: a tenant, or `service`. */
  async function want(by: string, count: number, holds_one = false): Promise<void> {
    const tenant_id = by === 'service' ? null : by
    for (let each = 0; each < count; each++) {
      const one: Held = { by, release: null }
      held.push(one)
      const take = (release: () => void) => {
        one.release = release
      }
      // Those that still wait when the test is over are refused later.
      shares.take({ tenant_id, holds_one }).then(take, () => {})
    }
    await settled()
  }

  const settled = () => new Promise((resolve) => setImmediate(resolve))
  const holders = () => held.flatMap(({ by, release }) => (release ? [by] : [])).join('')

  /** Gives one connection of `by` back. */
  async function end(by: string): Promise<void> {
    const index = held.findIndex((one) => one.by === by && one.release)
    const [one] = held.splice(index, 1)
    one?.release?.()
    await settled()
  }
  const pass = (ms: number) => {
    now += ms
  }
  return { shares, want, end, holders, pass }
}

describe('a tenant', () => {
  it('that is alone has every connection', async () => {
    const { want, holders, shares } = poolOf(4)
    await want('a', 6)
    expect([holders(), shares.waiting]).toEqual(['aaaa', 2])
  })

  it('gives way to another one until it has half, and gets the rest back when that one is gone', async () => {
    const { want, end, holders, pass } = poolOf(4)
    await want('a', 9)
    await want('b', 3)
    expect(holders()).toBe('aaaa')
    await end('a')
    expect(holders()).toBe('aaab')
    await end('a')
    expect(holders()).toBe('aabb')
    await end('a')
    // b has its half, too.
    expect(holders()).toBe('aabb')
    await end('b')
    expect(holders()).toBe('aabb')
    await end('b')
    await end('b')
    expect(holders()).toBe('aa')
    // b may be back at once: then nobody waits for a’s work.
    await want('b', 1)
    expect(holders()).toBe('aab')
    await end('b')
    pass(1001)
    await end('a')
    expect(holders()).toBe('aaaa')
  })

  it('whose work takes long has an eighth beside another one, until it is quick again', async () => {
    const { want, end, holders, pass } = poolOf(16)
    await want('a', 7)
    await want('b', 1)
    pass(99)
    await end('a')
    await want('a', 3)
    // 99 ms are not long: a has its half.
    expect(holders()).toBe('aaaaaabaa')
    pass(1)
    for (let ended = 0; ended < 6; ended++) await end('a')
    expect(holders()).toBe('baa')
    await end('a')
    expect(holders()).toBe('baa')
    pass(1000)
    await want('b', 1)
    await want('a', 8)
    expect(holders()).toBe('baabaaaaaa')
  })

  it('whose work takes long has every connection while it is alone, and one of a small pool beside another', async () => {
    const { want, end, holders, pass } = poolOf(3)
    await want('a', 9)
    pass(100)
    await end('a')
    expect(holders()).toBe('aaa')
    await want('b', 1)
    await end('a')
    await end('a')
    await end('a')
    expect(holders()).toBe('ab')
  })

  it('waits for its turn after every other one', async () => {
    const { want, end, holders } = poolOf(2)
    await want('service', 2)
    await want('a', 5)
    await want('b', 1)
    await want('c', 1)
    await end('service')
    expect(holders()).toBe('servicea')
    await end('service')
    expect(holders()).toBe('ab')
    await end('a')
    expect(holders()).toBe('bc')
    await end('b')
    await end('c')
    expect(holders()).toBe('a')
  })

  it('fills half of the queue at most', async () => {
    const { shares, want } = poolOf(1, 4)
    await want('a', 3)
    await expect(shares.take({ tenant_id: 'a', holds_one: false })).rejects.toThrow(/wait for a connection/)
    await want('b', 2)
    await expect(shares.take({ tenant_id: 'c', holds_one: false })).rejects.toThrow(/wait for a connection/)
    expect(shares.waiting).toBe(4)
  })
})

describe('work that holds a connection', () => {
  it('has another one, whoever waits and however many there are', async () => {
    const { want, end, holders } = poolOf(2)
    await want('a', 2)
    await want('b', 1)
    await want('a', 2, true)
    expect(holders()).toBe('aaa')
    await end('a')
    // The connection that was given back was one of a’s first two.
    expect(holders()).toBe('aaa')
    await end('a')
    await end('a')
    expect(holders()).toBe('ba')
  })
})

it('whoever waits too long is refused, and leaves the queue', async () => {
  const shares = new ConnectionShares({ size: 1, max_waiting: 10, patience_ms: 1 })
  const claim = { tenant_id: 'a', holds_one: false }
  const release = await shares.take(claim)
  await expect(shares.take(claim)).rejects.toThrow(/timeout expired/)
  expect(shares.waiting).toBe(0)
  release()
  await shares.take(claim)
})
