/**
 * A circuit breaker: a system that has failed several times in a row is not asked for a while, and then by one caller, whose
 * answer lets the others through.
 *
 * Requests that are under way together and fail together are one failure: a request that began before the latest failure tells
 * nothing new, and neither does its answer.
 */

/** The outcome of a request. UNKNOWN: it says nothing of the system, such as that its caller gave it up. */
type Outcome = 'ANSWERED' | 'FAILED' | 'UNKNOWN'

interface CircuitOptions {
  /** The failures in a row after which the circuit opens. */
  failures: number
  /** The pause before the next try. */
  pause_ms: number
  /** Milliseconds that never go back. */
  elapsed: () => number
  /** The outcome that the error of a request is. */
  outcomeOf: (error: unknown) => Outcome
  /** The pause that the error asks for. The circuit opens at once for so long. */
  pauseOf?: (error: unknown) => number
}

export class CircuitOpen extends Error {
  /** Milliseconds until the next try. 0: one is under way. */
  readonly left_ms: number

  constructor(left_ms: number) {
    super('The circuit is open')
    this.left_ms = left_ms
  }
}

interface RunOptions {
  /** The request is made also while the circuit is open. */
  always?: boolean
  /** The caller: other requests of the caller that tries the system are made too. */
  caller?: object
}

export interface Circuit {
  /** Rejects what would not be made now. */
  check(options?: RunOptions): void
  /** Makes the request, or rejects with CircuitOpen. */
  run<Result>(request: () => Promise<Result>, options?: RunOptions): Promise<Result>
}

export function createCircuit({
  failures,
  pause_ms,
  elapsed,
  outcomeOf,
  pauseOf = () => 0,
}: CircuitOptions): Circuit {
  let in_a_row = 0
  /** Another one after each failure that told something new. */
  let moment = 0
  /** The instant of the next try. null: the circuit is closed. */
  let opens_at: number | null = null
  /** The caller who tries the system. */
  let trying: object | null = null

  function fail(began_in: number, asked_ms: number): void {
    const is_new = began_in === moment
    if (is_new) in_a_row++
    if (is_new || asked_ms > 0) moment++
    const pause = Math.max(asked_ms, is_new && in_a_row >= failures ? pause_ms : 0)
    if (pause > 0) opens_at = Math.max(opens_at ?? Number.NEGATIVE_INFINITY, elapsed() + pause)
  }

  function end(began_in: number, outcome: Outcome, asked_ms: number): void {
    if (outcome === 'FAILED') fail(began_in, asked_ms)
    if (outcome !== 'ANSWERED' || began_in !== moment) return
    in_a_row = 0
    opens_at = null
  }

  /** True if the request tries the system. */
  function check({ always = false, caller = {} }: RunOptions = {}): boolean {
    const left = opens_at === null ? 0 : Math.max(0, opens_at - elapsed())
    const is_try = opens_at !== null && !always && trying !== caller
    if (is_try && (left > 0 || trying)) throw new CircuitOpen(left)
    return is_try
  }

  return {
    check: (options) => void check(options),
    async run(request, options = {}) {
      const is_try = check(options)
      if (is_try) trying = options.caller ?? {}
      const began_in = moment
      try {
        const result = await request()
        end(began_in, 'ANSWERED', 0)
        return result
      } catch (error) {
        end(began_in, outcomeOf(error), pauseOf(error))
        throw error
      } finally {
        if (is_try) trying = null
      }
    },
  }
}
