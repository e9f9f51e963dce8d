/**
 * Bounds how many pieces of work run at the same time, and takes turns: the next one is of the owner who was served
 * longest ago. The pieces of one owner keep their order.
 */

export interface FairSemaphore {
  /** Runs the work when it is the turn of its owner. One that is aborted before does not run. */
  run<Result>(owner: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>
}

export function createFairSemaphore(count: number): FairSemaphore {
  /** Those who wait, by owner. The owner whose turn is next comes first. */
  const waiting = new Map<string, Set<() => void>>()
  let free = count

  function leave(owner: string, begin: () => void): void {
    const own = waiting.get(owner)
    own?.delete(begin)
    if (own?.size === 0) waiting.delete(owner)
  }

  async function wait(owner: string, signal: AbortSignal | undefined): Promise<void> {
    if (free > 0) {
      free--
      return
    }
    const turn = Promise.withResolvers<void>()
    const begin = () => turn.resolve()
    const abort = () => {
      leave(owner, begin)
      turn.reject(signal?.reason)
    }
    const own = waiting.get(owner) ?? new Set()
    waiting.set(owner, own.add(begin))
    signal?.addEventListener('abort', abort, { once: true })
    await turn.promise.finally(() => signal?.removeEventListener('abort', abort))
  }

  function end(): void {
    const [next] = waiting
    if (!next) {
      free++
      return
    }
    const [owner, own] = next
    const [begin] = own
    waiting.delete(owner)
    if (begin) own.delete(begin)
    if (own.size > 0) waiting.set(owner, own)
    begin?.()
  }

  return {
    async run(owner, work, signal) {
      signal?.throwIfAborted()
      await wait(owner, signal)
      try {
        return await work()
      } finally {
        end()
      }
    },
  }
}
