/**
 * The time of the service: that of the database, which all of its processes share. It is what decides about what cannot be
 * undone, such as expiry, retention, leases and the days of the audit log. The clock of the process decides nothing:
 * between two readings of the database's clock, monotonic time is added to the last one.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isOutage } from './errors.ts'
import { type Sql, statement } from './sql.ts'

export interface Clock {
  now(): Date
  /** Begins to follow the database's clock. Resolves once it has been read, and rejects if it cannot be, outages aside. */
  start(): Promise<void>
  stop(): void
  /** False if the clock of the process and the database's differ by more than a minute. */
  agrees(): boolean
}

interface ClockOptions {
  sql: Sql
  log: Logger
  /** Milliseconds by the clock of the process. */
  wall?: (() => number) | undefined
  /** Milliseconds that never go back. */
  elapsed?: (() => number) | undefined
}

const READ = statement('clock.read', 'select clock_timestamp() as now')

const INTERVAL_MS = 10_000
const RETRY_MS = 1_000
const DIFFERENCE_MS = 60_000

/** The instant by the database's clock. */
export async function databaseTime(sql: Sql): Promise<Date> {
  const [row] = await sql.rows<{ now: Date }>(READ, [])
  if (!row) throw new Error('A statement without a condition found nothing')
  return row.now
}

export function createClock({
  sql,
  log,
  wall = Date.now,
  elapsed = () => performance.now(),
}: ClockOptions): Clock {
  const stopping = new AbortController()
  /** The database's time less the monotonic time. null: it has not been read. */
  let offset: number | null = null
  let agreed = true

  const time = (): number => (offset === null ? wall() : offset + elapsed())
  const agrees = (): boolean => Math.abs(wall() - time()) <= DIFFERENCE_MS

  async function read(): Promise<void> {
    const asked = elapsed()
    const earliest = (await databaseTime(sql)).getTime()
    const answered = elapsed()
    // The database's clock was there at some instant between the question and the answer.
    const latest = earliest + answered - asked
    const known = offset === null ? (earliest + latest) / 2 : offset + answered
    offset = Math.min(Math.max(known, earliest), latest) - answered
  }

  async function readFirst(signal: AbortSignal): Promise<void> {
    try {
      await read()
    } catch (error) {
      if (!isOutage(error))
        throw new Error(`The clock of the database cannot be read: ${(error as Error).message}`, {
          cause: error,
        })
      await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  function report(): void {
    if (agrees() === agreed) return
    agreed = !agreed
    const seconds_ahead = Math.round((wall() - time()) / 1000)
    if (agreed) log.info({ seconds_ahead }, 'the clock of this process agrees with the database’s')
    else log.warn({ seconds_ahead }, 'the clock of this process is wrong: the database’s clock holds')
  }

  function reportFailure(err: unknown): void {
    if (!isOutage(err)) log.error({ err }, 'the clock of the database cannot be read')
  }

  return {
    now: () => new Date(time()),
    agrees,
    async start() {
      const { signal } = stopping
      while (offset === null && !signal.aborted) await readFirst(signal)
      report()
      if (signal.aborted) return
      // Without the database the last reading holds, and little is done.
      const reading = setInterval(() => void read().then(report, reportFailure), INTERVAL_MS).unref()
      signal.addEventListener('abort', () => clearInterval(reading))
    },
    stop: () => stopping.abort(),
  }
}
