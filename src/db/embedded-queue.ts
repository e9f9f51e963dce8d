/** The queue of the embedded database, which does one thing at a time. A caller who would wait too long is refused. */
import type { DatabaseLoad } from './driver.ts'

/** Their time is bounded below; this bounds what they take in memory. */
const WAITING_AT_MOST = 2000
/** The longest time that turns follow each other before requests that have come meanwhile are read. */
const UNBROKEN_MS = 10
/** The weight of the last turn in the usual length of a turn, and the most of it that counts: after one long turn, few are long. */
const WEIGHT = 0.1
const COUNTED_MS = 100

export interface Turns {
  /** Does the work when it is its turn. */
  take<Result>(work: () => Promise<Result>): Promise<Result>
  load(): DatabaseLoad
}

interface Waiting {
  since: number
  begin(): void
  refuse(error: Error): void
}

/**
 * A caller whose turn has not come after `patience_ms` is refused then. One who can expect to wait for half as long is
 * refused at once.
 */
export function createTurns(patience_ms: number): Turns {
  const queue: Waiting[] = []
  let busy = false
  let usual_ms = 0
  /** When requests were last read between two turns. */
  let broken = 0
  let timer: NodeJS.Timeout | undefined

  function expectedWait(now: number): number {
    const [first] = queue
    return first ? Math.max(now - first.since, queue.length * usual_ms) : 0
  }

  function refuseLate(): void {
    const late = performance.now() - patience_ms
    for (let [first] = queue; first && first.since <= late; [first] = queue) {
      queue.shift()
      first.refuse(tooMany())
    }
    timer = undefined
    watchFirst()
  }

  /** The first has waited longest. A timer that outlives its wait goes on with the one that is first then. */
  function watchFirst(): void {
    const [first] = queue
    if (!first || timer) return
    timer = setTimeout(refuseLate, Math.ceil(first.since + patience_ms - performance.now())).unref()
  }

  async function turn(): Promise<void> {
    if (!busy) {
      busy = true
      return
    }
    const since = performance.now()
    if (queue.length >= WAITING_AT_MOST || expectedWait(since) > patience_ms / 2) throw tooMany()
    await new Promise<void>((begin, refuse) => {
      queue.push({ since, begin, refuse })
      watchFirst()
    })
  }

  /** The next caller leaves the queue at once: from then on it is not refused. */
  function end(): void {
    const next = queue.shift()
    if (!next) {
      busy = false
    } else if (performance.now() - broken < UNBROKEN_MS) {
      next.begin()
    } else {
      setImmediate(() => {
        broken = performance.now()
        next.begin()
      })
    }
  }

  return {
    async take(work) {
      await turn()
      const begun = performance.now()
      try {
        return await work()
      } finally {
        usual_ms += (Math.min(performance.now() - begun, COUNTED_MS) - usual_ms) * WEIGHT
        end()
      }
    },
    load: () => ({ total: 1, idle: busy ? 0 : 1, waiting: queue.length }),
  }
}

const tooMany = (): Error => new Error('Too many statements wait for the database')
