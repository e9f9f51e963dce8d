/**
 * Bounds how many pieces of work run at the same time. Owners have equal shares of the places: the next piece is of the
 * owner who has had the least while others waited, and one who comes anew does not wait for the backlog of the others.
 */

export interface FairSemaphore {
  /** Runs the work when it is the turn of its owner. One that is aborted before does not run. */
  run<Result>(owner: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>
}

interface Waiting {
  /** Its place in the order: the first of an owner is beside the first of every other, the second beside the second. */
  round: number
  begin(): void
}

export function createFairSemaphore(count: number): FairSemaphore {
  const waiting = new Set<Waiting>()
  /** The round of the next piece of each owner. */
  const rounds = new Map<string, number>()
  let round_now = 0
  let free = count

  function roundOf(owner: string): number {
    const round = Math.max(round_now, rounds.get(owner) ?? 0)
    rounds.set(owner, round + 1)
    return round
  }

  async function wait(owner: string, signal: AbortSignal | undefined): Promise<void> {
    const round = roundOf(owner)
    if (free > 0) {
      free--
      return
    }
    const turn = Promise.withResolvers<void>()
    const own = { round, begin: turn.resolve }
    const abort = () => {
      waiting.delete(own)
      turn.reject(signal?.reason)
    }
    waiting.add(own)
    signal?.addEventListener('abort', abort, { once: true })
    await turn.promise.finally(() => signal?.removeEventListener('abort', abort))
  }

  /** The first of the lowest round. */
  function nextWaiting(): Waiting | undefined {
    let next: Waiting | undefined
    for (const one of waiting) if (!next || one.round < next.round) next = one
    return next
  }

  function end(): void {
    const next = nextWaiting()
    if (next) {
      waiting.delete(next)
      round_now = next.round
      next.begin()
      return
    }
    free++
    rounds.clear()
    round_now = 0
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
