/** The rules of endpoints and deliveries: when one is tried, when it is given up, and when an endpoint is turned off. */

export const MAX_ENDPOINTS = 20

const [SECOND, MINUTE, HOUR] = [1, 60, 3600]

/** The pauses after the attempts, in seconds: after the last one of them there is one more attempt. */
export const PAUSES = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const

/** A pause is so much shorter or longer, at random. */
const VARIATION = 0.2

/** The longest pause that `Retry-After` asks for. */
const MAX_RETRY_AFTER = 24 * HOUR

/** The seconds for which an endpoint that says it is busy is sent nothing, at most. */
const MAX_REST = MINUTE

/** An endpoint that has failed for so long is turned off. */
const FAILING_MS = 5 * 24 * HOUR * 1000

/** The failures in a row after which an endpoint is sent one event at a time. */
const CIRCUIT_FAILURES = 5

const CIRCUIT_SECONDS = 5

/** Milliseconds for which two secrets sign after a rotation. */
export const OVERLAP_MS = 24 * HOUR * 1000

/** The attempts of a delivery that are kept. */
export const KEPT_ATTEMPTS = 20

/** The outcome of an attempt. `status_code` is null if there was no answer. */
export interface Outcome {
  status_code: number | null
  /** The endpoint's address is not allowed. */
  is_refused?: boolean
  retry_after_seconds?: number | undefined
}

const GONE = 410

export const isTaken = ({ status_code }: Outcome): boolean =>
  status_code !== null && status_code >= 200 && status_code < 300

type Settled =
  | { status: 'SUCCEEDED' | 'FAILED' | 'EXHAUSTED'; next_attempt_at: null }
  | { status: 'PENDING'; next_attempt_at: Date }

interface Attempted {
  /** The end of the attempt. */
  at: Date
  /** The attempts with it. */
  tries: number
  /** The event of a test is tried once. */
  is_test: boolean
  /** A random number from 0 to 1. */
  chance: number
}

/** The state of a delivery after an attempt. */
export function settled(outcome: Outcome, { at, tries, is_test, chance }: Attempted): Settled {
  if (isTaken(outcome)) return { status: 'SUCCEEDED', next_attempt_at: null }
  if (outcome.is_refused || outcome.status_code === GONE || is_test)
    return { status: 'FAILED', next_attempt_at: null }
  const pause = PAUSES[tries - 1]
  if (pause === undefined) return { status: 'EXHAUSTED', next_attempt_at: null }
  const varied = pause * (1 - VARIATION + 2 * VARIATION * chance)
  const asked = Math.min(outcome.retry_after_seconds ?? 0, MAX_RETRY_AFTER)
  return { status: 'PENDING', next_attempt_at: new Date(at.getTime() + Math.max(varied, asked) * 1000) }
}

/** The health of an endpoint. */
export interface Health {
  last_success_at: Date | null
  failing_since: Date | null
  failures: number
  resumes_at: Date | null
}

const BUSY = new Set([429, 503])

/** The seconds for which the endpoint is sent nothing after the failures in a row; 0: it goes on. */
function restOf(failures: number, outcomes: readonly Outcome[]): number {
  const circuit =
    failures < CIRCUIT_FAILURES
      ? 0
      : Math.min(CIRCUIT_SECONDS * 2 ** Math.min(failures - CIRCUIT_FAILURES, 10), MAX_REST)
  // Contract silent: an endpoint that says it is busy is sent nothing else meanwhile, for a minute at most.
  const asked = outcomes.map(({ status_code, retry_after_seconds = 0 }) =>
    BUSY.has(status_code ?? 0) ? Math.min(retry_after_seconds, MAX_REST) : 0,
  )
  return Math.max(circuit, ...asked)
}

/** The health after attempts that ended together, and the reason to turn the endpoint off; null: it stays on. */
export function healthAfter(
  { last_success_at, failing_since, failures }: Health,
  outcomes: readonly Outcome[],
  at: Date,
): Health & { disabled_reason: 'GONE' | 'FAILING' | null } {
  const is_gone = outcomes.some(({ status_code }) => status_code === GONE)
  if (outcomes.some(isTaken)) {
    const healthy = { last_success_at: at, failing_since: null, failures: 0, resumes_at: null }
    return { ...healthy, disabled_reason: is_gone ? 'GONE' : null }
  }
  const since = failing_since ?? at
  const in_a_row = failures + outcomes.length
  const rest = restOf(in_a_row, outcomes)
  const is_failing = at.getTime() - since.getTime() >= FAILING_MS
  return {
    last_success_at,
    failing_since: since,
    failures: in_a_row,
    resumes_at: rest > 0 ? new Date(at.getTime() + rest * 1000) : null,
    disabled_reason: is_gone ? 'GONE' : is_failing ? 'FAILING' : null,
  }
}

/** The deliveries of an endpoint that are under way at once. */
export const AT_ONCE = 8

/** The deliveries that may begin: one, until the endpoint has taken one, and again after failures in a row. */
export const placesOf = ({
  failures,
  last_success_at,
}: Pick<Health, 'failures' | 'last_success_at'>): number =>
  last_success_at === null || failures >= CIRCUIT_FAILURES ? 1 : AT_ONCE
