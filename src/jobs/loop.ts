/**
 * Work that a worker looks for again and again, if a job for each piece of it would cost more than the work.
 *
 * loop: a function that is run, then sleeps for its interval, in every process that runs jobs. Processes do not know of
 * each other: what only one of them may do is claimed in the database.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Services } from '../gateway/context.ts'

export interface LoopContext {
  services: Services
  /** The start of the run. */
  now: Date
  /** Aborted when the process stops: a run ends as soon as it can. */
  signal: AbortSignal
  /** Its lines carry the loop’s name. */
  log: Logger
}

/** A declared loop. */
export interface Loop {
  /** `<area>.<verb>`, unique in the service. */
  name: `${string}.${string}`
  /** The pause between two runs. */
  interval_ms: number
  /** Finds what is due, and does it. A failure is logged, and the next run tries again. */
  run(ctx: LoopContext): Promise<void>
}

interface Loops {
  start(): void
  /** Begins no more runs, and waits `ms` for those that go on. */
  stop(ms: number): Promise<void>
}

const LOG_INTERVAL_MS = 30_000

/** Runs a loop until the signal. A loop that keeps failing, as in an outage, is logged once in 30 seconds. */
async function repeat({ name, interval_ms, run }: Loop, services: Services, signal: AbortSignal) {
  const log = services.log.child({ loop: name })
  let last_logged = Number.NEGATIVE_INFINITY
  while (!signal.aborted) {
    try {
      await run({ services, now: services.now(), signal, log })
    } catch (error) {
      const now = performance.now()
      if (!signal.aborted && now - last_logged >= LOG_INTERVAL_MS) {
        last_logged = now
        log.warn({ err: error }, 'loop failed')
      }
    }
    await sleep(interval_ms, undefined, { signal, ref: false }).catch(() => {})
  }
}

/** Runs the loops in this process. */
export function createLoops(services: Services, loops: readonly Loop[]): Loops {
  const stopping = new AbortController()
  let running: Promise<unknown> = Promise.resolve()
  return {
    start() {
      running = Promise.all(loops.map((loop) => repeat(loop, services, stopping.signal)))
    },
    async stop(ms) {
      stopping.abort()
      const over = new AbortController()
      const patience = sleep(ms, undefined, { signal: over.signal }).catch(() => {})
      await Promise.race([running, patience])
      over.abort()
    },
  }
}
