/** Ends the process: on a signal, or after an error that nothing caught. */
import type { App } from '../composition/app.ts'
import type { Database } from '../db/database.ts'
import type { Log } from './log.ts'

export interface Running {
  app: App
  database: Database
  log: Log
  /** The time in which new requests are still answered after the signal to stop. */
  drain_delay_ms: number
}

/** The time for requests and jobs under way: after a signal, and after an error that nothing caught. */
const DRAIN_MS = 25_000
const CRASH_DRAIN_MS = 5_000
/** The time for what follows: flushing buffers, closing the database. */
const CLOSE_MS = 4_000

// npm passes on the signal that the terminal has sent already: the same signal twice within this time counts once.
const SAME_SIGNAL_MS = 500

async function stop(
  { app, database, log }: Running,
  { drain_ms, delay_ms, code }: { drain_ms: number; delay_ms: number; code: number },
): Promise<void> {
  const end = () => {
    log.log.info({ code }, 'stopped')
    void log.flush().then(() => process.exit(code))
  }
  const endLate = (ms: number) =>
    setTimeout(() => {
      log.log.error('gave up waiting')
      end()
    }, ms)
  endLate(delay_ms + drain_ms + CLOSE_MS)
  try {
    await app.close(drain_ms, delay_ms)
    // A database that does not answer must not keep the process alive.
    endLate(CLOSE_MS)
    await database.close()
  } catch (error) {
    log.log.error({ err: error }, 'could not stop cleanly')
  }
  end()
}

/** SIGTERM and SIGINT stop the service once requests and jobs have ended; a second one stops it at once. */
export function stopOnSignals(running: Running): void {
  const { log } = running.log
  let first: { signal: NodeJS.Signals; at: number } | null = null
  const onSignal = (signal: NodeJS.Signals) => {
    if (!first) {
      first = { signal, at: performance.now() }
      log.info({ signal }, 'stopping')
      void stop(running, { drain_ms: DRAIN_MS, delay_ms: running.drain_delay_ms, code: 0 })
      return
    }
    if (signal === first.signal && performance.now() - first.at < SAME_SIGNAL_MS) return
    log.warn({ signal }, 'stopped before every request was answered')
    void running.log.flush().then(() => process.exit(1))
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

/** After an error that nothing caught the state of the process is unknown: it answers what is under way and exits with 1. */
export function stopOnCrash(running: Running): void {
  let crashed = false
  const crash = (error: unknown) => {
    running.log.log.fatal({ err: error }, 'an error that nothing caught')
    if (crashed) return
    crashed = true
    void stop(running, { drain_ms: CRASH_DRAIN_MS, delay_ms: 0, code: 1 })
  }
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
}
