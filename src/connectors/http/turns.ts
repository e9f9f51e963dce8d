/**
 * The turns of requests: the requests that a tenant may make to a vendor are shared out, to those who go before others first, and
 * among equals in the order in which they came.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type BudgetOwner, LEFT_SECONDS, PACES, type Taken, type VendorBudget } from '../budget.ts'
import type { Pace } from '../port.ts'

export interface Turn {
  pace: Pace
  /** Milliseconds for which the turn is waited for. */
  patience_ms: number
  signal: AbortSignal
  /** The failure of a turn that does not come in time. */
  late(wait_seconds: number): Error
}

interface Waiter extends Turn {
  rank: number
  gives_up_at: number
  begin(): void
  fail(reason: unknown): void
}

interface Queue {
  owner: BudgetOwner
  waiting: Waiter[]
  /** Ends the pause of who shares out. */
  wake: AbortController
}

/** The longest pause between two looks: others give requests back. */
const LOOK_MS = 1000

export function createTurns(budget: Pick<VendorBudget, 'take' | 'giveBack'>) {
  const queues = new Map<string, Queue>()

  function giveUp(queue: Queue, wait_seconds: number): void {
    const now = performance.now()
    const isLate = ({ gives_up_at }: Waiter): boolean => gives_up_at < now + wait_seconds * 1000
    const late = queue.waiting.filter(isLate)
    queue.waiting = queue.waiting.filter((waiter) => !isLate(waiter))
    for (const waiter of late) waiter.fail(waiter.late(Math.max(1, Math.ceil(wait_seconds))))
  }

  async function shareOut(key: string, queue: Queue): Promise<void> {
    for (;;) {
      const [first] = queue.waiting
      if (!first) break
      queue.wake = new AbortController()
      const equals = queue.waiting.filter(({ rank }) => rank === first.rank)
      // Contract silent: a budget that cannot be asked keeps nobody waiting.
      const { taken, wait_seconds } = await budget
        .take(queue.owner, equals.length, LEFT_SECONDS[first.pace])
        .catch((): Taken => ({ taken: equals.length, wait_seconds: 0 }))
      const begun = equals.filter((waiter) => queue.waiting.includes(waiter)).slice(0, taken)
      queue.waiting = queue.waiting.filter((waiter) => !begun.includes(waiter))
      if (taken > begun.length) budget.giveBack(queue.owner, taken - begun.length)
      for (const waiter of begun) waiter.begin()
      // The wait is that of the equals: those who came before them meanwhile are asked for first.
      if (taken >= equals.length || (queue.waiting[0]?.rank ?? 0) < first.rank) continue
      giveUp(queue, wait_seconds)
      const pause = Math.min(LOOK_MS, Math.ceil(wait_seconds * 1000))
      await sleep(pause, undefined, { signal: queue.wake.signal }).catch(() => {})
    }
    queues.delete(key)
  }

  return {
    /** Resolves when the request may be made. */
    async wait(owner: BudgetOwner, turn: Turn): Promise<void> {
      turn.signal.throwIfAborted()
      const key = JSON.stringify([owner.tenant_id, owner.system])
      const begun = Promise.withResolvers<void>()
      const waiter: Waiter = {
        ...turn,
        rank: PACES.indexOf(turn.pace),
        gives_up_at: performance.now() + turn.patience_ms,
        begin: begun.resolve,
        fail: begun.reject,
      }
      const known = queues.get(key)
      const queue = known ?? { owner, waiting: [], wake: new AbortController() }
      const before = queue.waiting.findIndex(({ rank }) => rank > waiter.rank)
      queue.waiting.splice(before < 0 ? queue.waiting.length : before, 0, waiter)
      if (!known) {
        queues.set(key, queue)
        void shareOut(key, queue)
      } else if (queue.waiting[0] === waiter) queue.wake.abort()
      const abort = () => {
        queue.waiting = queue.waiting.filter((one) => one !== waiter)
        waiter.fail(turn.signal.reason)
      }
      turn.signal.addEventListener('abort', abort, { once: true })
      await begun.promise.finally(() => turn.signal.removeEventListener('abort', abort))
    },
  }
}
