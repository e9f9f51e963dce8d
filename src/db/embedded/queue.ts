/** The queue of the embedded database, which does one thing at a time. A caller who would wait too long is refused. */
import type { DatabaseLoad } from '../driver.ts'

/** Their time is bounded below; this bounds what they take in memory. */
const MAX_WAITING = 2000
/** The longest time that turns follow each other before requests that have come meanwhile are read. */
const MAX_BURST_MS = 10
/** The weight of the last turn in the usual length of a turn, and the most of it that counts: after one long turn, few are long. */
const WEIGHT = 0.1
const COUNTED_MS = 100

export interface StatementQueue {
  /** Does the work when it is its turn. */
  run<Result>(work: () => Promise<Result>): Promise<Result>
  load(): DatabaseLoad
}

interface Waiting {
  since: number
  begin(): void
  refuse(error: Error): void
}

/**
 * A caller whose turn has not come after `patience_ms` is refused then. One who can expect to wait for half as long is
 * refused at once. `elapsed` is monotonic milliseconds.
 */
export function createStatementQueue(
  patience_ms: number,
  elapsed: () => number = () => performance.now(),
): StatementQueue {
  const queue: Waiting[] = []
  let busy = false
  let average_ms = 0
  /** The instant of the last pause in which requests were read. */
  let last_pause = 0
  let timer: NodeJS.Timeout | undefined

  function expectedWait(now: number): number {
    const [first] = queue
    return first ? Math.max(now - first.since, queue.length * average_ms) : 0
  }

  function refuseLate(): void {
    const late = elapsed() - patience_ms
    for (let [first] = queue; first && first.since <= late; [first] = queue) {
      queue.shift()
      first.refuse(overloaded())
    }
    timer = undefined
    scheduleRefusal()
  }

  /** The first has waited longest. A timer that outlives its wait goes on with the one that is first then. */
  function scheduleRefusal(): void {
    const [first] = queue
    if (!first || timer) return
    timer = setTimeout(refuseLate, Math.ceil(first.since + patience_ms - elapsed())).unref()
  }

  async function waitForTurn(): Promise<void> {
    if (!busy) {
      busy = true
      return
    }
    const since = elapsed()
    if (queue.length >= MAX_WAITING || expectedWait(since) > patience_ms / 2) throw overloaded()
    await new Promise<void>((begin, refuse) => {
      queue.push({ since, begin, refuse })
      scheduleRefusal()
    })
  }

  /** The next caller leaves the queue at once: from then on it is not refused. */
  function end(): void {
    const next = queue.shift()
    if (!next) {
      busy = false
    } else if (elapsed() - last_pause < MAX_BURST_MS) {
      next.begin()
    } else {
      setImmediate(() => {
        last_pause = elapsed()
        next.begin()
      })
    }
  }

  return {
    async run(work) {
      await waitForTurn()
      const begun = elapsed()
      try {
        return await work()
      } finally {
        average_ms += (Math.min(elapsed() - begun, COUNTED_MS) - average_ms) * WEIGHT
        end()
      }
    },
    load: () => ({ total: 1, idle: busy ? 0 : 1, waiting: queue.length }),
  }
}

const overloaded = (): Error => new Error('Too many statements wait for the database')
