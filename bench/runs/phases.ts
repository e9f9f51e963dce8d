/**
 * One worker works all the time and another one in the middle: what one does is measured before and after. The queue is
 * filled beforehand, and never empty.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender } from '../contender.ts'
import { type DatabaseCpu, watchDatabase } from '../database-cpu.ts'
import { startWorker } from './processes.ts'

/** One number of workers for a while. */
export interface Phase {
  workers: number
  /** Pieces of work a second. */
  a_second: number
  /** Milliseconds of CPU for each piece: of the workers, and of the database. */
  worker_ms: number
  database_ms: number | null
}

export interface Window extends Pick<Phase, 'workers'> {
  from: number
  to: number
  worker_seconds: number
  database_seconds: number | null
}

export interface Pace {
  seconds: number
  /** Until then a new worker does as much as later on. */
  settle_ms: number
}

async function observe(
  working: readonly Contender[],
  database: DatabaseCpu,
  seconds: number,
): Promise<Window> {
  const cpu = () => working.reduce((sum, worker) => sum + worker.cpu(), 0)
  const [from, worker_before, database_before] = [Date.now(), cpu(), await database.seconds()]
  await sleep(seconds * 1000)
  const [to, worker_after, database_after] = [Date.now(), cpu(), await database.seconds()]
  return {
    workers: working.length,
    from,
    to,
    worker_seconds: worker_after - worker_before,
    database_seconds:
      database_before === null || database_after === null ? null : database_after - database_before,
  }
}

/** Observes one worker, two, and one again. `ready` resolves once the first worker has prepared the work of all. */
export async function oneAndTwo(
  url: string,
  env: Record<string, string>,
  { seconds, settle_ms }: Pace,
  ready: () => Promise<void> = async () => {},
): Promise<Window[]> {
  const database = await watchDatabase(url)
  const first = await startWorker('worker 1', url, env)
  await ready()
  await sleep(settle_ms)
  const alone = await observe([first], database, seconds)
  const second = await startWorker('worker 2', url, env)
  await sleep(settle_ms)
  const both = await observe([first, second], database, seconds)
  await second.stop()
  const again = await observe([first], database, seconds)
  await first.stop()
  await database.close()
  return [alone, both, again]
}

/** The phase in which so many pieces of work were done. */
export const phaseOf = (
  { workers, from, to, worker_seconds, database_seconds }: Window,
  pieces: number,
): Phase => ({
  workers,
  a_second: (pieces / (to - from)) * 1000,
  worker_ms: (worker_seconds / pieces) * 1000,
  database_ms: database_seconds === null ? null : (database_seconds / pieces) * 1000,
})
