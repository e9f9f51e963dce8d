/** Time limits that stand still while their work waits for its turn. */
import { AsyncLocalStorage } from 'node:async_hooks'

export interface Deadline {
  /** Aborted when the time is over, or by `end`. */
  readonly signal: AbortSignal
  /** Milliseconds of the limit that are used: those in which it stood still do not count. */
  used(): number
  /** The limit stands still until it has gone on as often as it was paused. */
  pause(): void
  goOn(): void
  /** Ends the limit. With a reason the signal is aborted with it. */
  end(reason?: unknown): void
}

/** A limit of `ms` from now on. `late` makes the reason with which its signal is aborted. */
export function createDeadline(
  ms: number,
  late: () => unknown,
  elapsed: () => number = () => performance.now(),
): Deadline {
  const over = new AbortController()
  let used_ms = 0
  let pauses = 0
  let since = 0
  let timer: NodeJS.Timeout | undefined

  const run = (): void => {
    since = elapsed()
    timer = setTimeout(() => over.abort(late()), Math.max(0, ms - used_ms))
  }
  const stop = (): void => {
    if (timer === undefined) return
    clearTimeout(timer)
    timer = undefined
    used_ms += elapsed() - since
  }
  run()
  return {
    signal: over.signal,
    used: () => used_ms + (timer === undefined ? 0 : elapsed() - since),
    pause() {
      if (pauses++ === 0) stop()
    },
    goOn() {
      if (--pauses === 0) run()
    },
    end(reason) {
      stop()
      pauses = Number.POSITIVE_INFINITY
      if (reason !== undefined) over.abort(reason)
    },
  }
}

const present = new AsyncLocalStorage<readonly Deadline[]>()

/** Does the work, whose waits for its turn stop the limit, and those around it. */
export const underDeadline = <Result>(deadline: Deadline, work: () => Promise<Result>): Promise<Result> =>
  present.run([...(present.getStore() ?? []), deadline], work)

/** Rejects with the reason of the deadline unless the work settles before it. The work itself is not cancelled. */
export async function withDeadline<Result>(deadline: Deadline, work: () => Promise<Result>): Promise<Result> {
  const { signal } = deadline
  const over = Promise.withResolvers<never>()
  const abort = () => over.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  const made = underDeadline(deadline, work)
  try {
    return await Promise.race([made, over.promise])
  } finally {
    signal.removeEventListener('abort', abort)
    deadline.end()
    made.catch(() => {})
  }
}

/** Stops every limit that the work is done under until it has ended. */
export async function whileTimeStandsStill<Result>(work: () => Promise<Result>): Promise<Result> {
  const deadlines = present.getStore() ?? []
  for (const deadline of deadlines) deadline.pause()
  try {
    return await work()
  } finally {
    for (const deadline of deadlines) deadline.goOn()
  }
}
