import { describe, expect, it } from 'vitest'
import { createFairSemaphore } from '../../src/lib/fair-semaphore.ts'

/** Work of owners that ends when it is told to, in the order in which it began. */
function works(count: number) {
  const semaphore = createFairSemaphore(count)
  const began: string[] = []
  const running: (() => void)[] = []
  const add = (owner: string, signal?: AbortSignal) =>
    semaphore.run(
      owner,
      () => {
        began.push(owner)
        return new Promise<void>((end) => running.push(end))
      },
      signal,
    )
  const endOne = async () => {
    running.shift()?.()
    await new Promise(setImmediate)
  }
  return { began, add, endOne, running }
}

describe('a fair semaphore', () => {
  it('runs no more at once than it has places', async () => {
    const { began, add, endOne, running } = works(2)
    for (const owner of ['a', 'b', 'c', 'd']) void add(owner)
    await new Promise(setImmediate)
    expect(began).toEqual(['a', 'b'])
    await endOne()
    expect(running).toHaveLength(2)
    expect(began).toEqual(['a', 'b', 'c'])
  })

  it('gives the next place to who has had the least: who comes last does not wait for the backlog', async () => {
    const { began, add, endOne } = works(1)
    for (const owner of ['a', 'a', 'a', 'a', 'b', 'b', 'c']) void add(owner)
    for (let ended = 0; ended < 7; ended++) await endOne()
    expect(began.join('')).toBe('abcabaa')
  })

  it('does not run what is aborted while it waits, and goes on with the others', async () => {
    const { began, add, endOne } = works(1)
    const stop = new AbortController()
    void add('a')
    const aborted = add('b', stop.signal)
    void add('c')
    stop.abort(new Error('over'))
    await expect(aborted).rejects.toThrow('over')
    await expect(add('d', stop.signal)).rejects.toThrow('over')
    await endOne()
    await endOne()
    void add('e')
    await new Promise(setImmediate)
    expect(began).toEqual(['a', 'c', 'e'])
  })
})
