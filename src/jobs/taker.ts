/** Takes jobs from the queues while there are places for them, runs them, and keeps them alive meanwhile. */

import { type ClaimedJob, claimJobs, type Held, type Places } from './claim.ts'
import type { Job } from './job.ts'
import { queueOf } from './queue.ts'
import { type Attempt, beginAttempt, type RunOptions } from './run-attempt.ts'

interface TakerOptions extends RunOptions {
  jobs: readonly Job[]
  /** Places for jobs that wait for a model. */
  model_calls: number
  /** Places for those that need connections. */
  places: number
  /** Milliseconds between two looks for jobs that the worker was not told of. */
  look_ms: number
  /** Called when jobs were looked for. */
  onLook(): void
  onError(error: Error): void
}

export interface Taker {
  /** Looks for jobs at once. */
  wake(queue?: string): void
  /** Takes no more jobs, and waits `ms` for those that run. The others are given back. */
  stop(ms: number): Promise<void>
}

const HEARTBEAT_MS = 3_000
/** Jobs of one queue that are taken at once. */
const BATCH = 50

export function createTaker(options: TakerOptions): Taker {
  const { services, boss, jobs, onError } = options
  const { database, environment } = services
  const queues = new Map(jobs.map((job) => [queueOf(environment, job), job]))
  const running = new Set<Attempt>()
  let stopping = false
  let looking: Promise<void> | null = null
  let again = false
  /** The tenant at which the next choice begins, if there are more tenants than one choice looks at. */
  let first = ''

  const concurrencyOf = ({ concurrency }: Job): number =>
    concurrency === 'MODEL_CALLS' ? options.model_calls : concurrency

  function heldJobs(): Held[] {
    const held = new Map<string, Held>()
    for (const { queue, tenant } of running) {
      const key = JSON.stringify([queue, tenant])
      const own = held.get(key) ?? { queue, tenant, jobs: 0 }
      held.set(key, { ...own, jobs: own.jobs + 1 })
    }
    return [...held.values()]
  }

  function freePlaces(): Places[] {
    const attempts = [...running]
    const short = attempts.filter(({ job }) => !job.waits && job.tenancy === 'tenant').length
    return [...queues].flatMap(([queue, job]) => {
      const own = concurrencyOf(job) - attempts.filter((attempt) => attempt.queue === queue).length
      // Cron never waits behind the work of tenants.
      const free = job.waits || job.tenancy === 'system' ? own : Math.min(own, options.places - short)
      const of = job.tenancy === 'system' ? '' : environment
      if (free <= 0) return []
      return [{ queue, environment: of, free: Math.min(free, BATCH), most: job.concurrency_of_tenant }]
    })
  }

  function begin(claimed: ClaimedJob): void {
    const job = queues.get(claimed.queue)
    if (!job) throw new Error(`A job of another queue was taken: ${claimed.queue}`)
    const attempt = beginAttempt(options, job, claimed)
    running.add(attempt)
    if (stopping) void attempt.release()
    attempt.ended.catch(onError).finally(() => {
      running.delete(attempt)
      wake()
    })
  }

  /** One choice. True if another one may find more. */
  async function look(): Promise<boolean> {
    const places = freePlaces()
    const claimed = await claimJobs(
      database.sql,
      places,
      heldJobs(),
      first,
      ![...running].some(({ is_suspect }) => is_suspect()),
    )
    options.onLook()
    for (const job of claimed) begin(job)
    const began_with = first
    const tenants = claimed.map(({ data }) => data.tenancy?.tenant_id ?? '')
    first = began_with === '' ? (tenants.toSorted().at(-1) ?? '') : ''
    return claimed.length > 0 || began_with !== ''
  }

  async function lookWhileThereAre(): Promise<void> {
    try {
      do again = false
      while (!stopping && ((await look()) || again))
    } catch (error) {
      onError(error as Error)
    } finally {
      looking = null
    }
  }

  function wake(queue?: string): void {
    if (stopping || (queue !== undefined && !queues.has(queue))) return
    again = true
    looking ??= lookWhileThereAre()
  }

  async function keepAlive(): Promise<void> {
    const held = Map.groupBy(running, ({ queue }) => queue)
    for (const [queue, attempts] of held)
      await boss.touch(
        queue,
        attempts.map(({ id }) => id),
      )
  }

  const looks = setInterval(wake, options.look_ms).unref()
  const heartbeats = setInterval(() => void keepAlive().catch(onError), HEARTBEAT_MS).unref()

  return {
    wake,
    async stop(ms) {
      stopping = true
      clearInterval(looks)
      await looking
      const ended = Promise.allSettled([...running].map((attempt) => attempt.ended))
      const patience = Promise.withResolvers<void>()
      const timer = setTimeout(patience.resolve, ms)
      await Promise.race([ended, patience.promise])
      clearTimeout(timer)
      await Promise.allSettled([...running].map((attempt) => attempt.release()))
      clearInterval(heartbeats)
    },
  }
}
