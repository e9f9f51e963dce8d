/**
 * The call of a port, over all requests that its adapter makes for it. Whoever answers can answer for ever: a call has bounds,
 * and at its end every request that it still makes is given up.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createDeadline, underDeadline } from '../../lib/deadline.ts'
import type { CallBounds } from '../port.ts'
import { VendorFailure } from './failure.ts'

const MEGABYTE = 1024 * 1024

/** The bounds of a call that declares none of its own. */
export const READ_BOUNDS: CallBounds = { ms: 7500, requests: 100, rows: 20_000, bytes: 16 * MEGABYTE }

/** A write looks for what an earlier attempt has made before it makes it. */
export const WRITE_BOUNDS: CallBounds = { ...READ_BOUNDS, ms: 19_500 }

/** The bounds of a call that is made also while the circuits of its sites are open. */
export interface Bounds extends CallBounds {
  ignores_circuits?: boolean
}

export interface VendorCall {
  ignores_circuits: boolean
  /** The same for a call and the calls in it. */
  caller: object
  /** The system has answered a request of the call. */
  is_answered: boolean
  /** Aborts at the deadline of the call, and at its end. */
  signal: AbortSignal
  /** Milliseconds until the deadline. */
  left(): number
  /** Each rejects what is over the bounds. */
  request(): void
  rows(count: number): void
  bytes(count: number): void
}

const present = new AsyncLocalStorage<VendorCall>()

/** The call that the code runs in; undefined outside of every call. */
export const presentCall = (): VendorCall | undefined => present.getStore()

const watching = new AsyncLocalStorage<{ answered: boolean }>()

/** Notes that the system answered a request, and did not fail. */
export function systemAnswered(): void {
  const [watched, call] = [watching.getStore(), presentCall()]
  if (watched) watched.answered = true
  if (call) call.is_answered = true
}

/** Does the work, and sets `answered` if the system answers it: some calls are answered by what is kept of the system. */
export const watchAnswers = <Result>(watched: { answered: boolean }, work: () => Result): Result =>
  watching.run(watched, work)

function counter(maximum: number, what: string): (count: number) => void {
  let left = maximum
  return (count) => {
    left -= count
    if (left < 0) throw new VendorFailure(`A call takes at most ${maximum} ${what}`, { kind: 'TOO_MUCH' })
  }
}

/** Does the work within the bounds. A call in a call has bounds of its own, and ignores circuits if the outer one does. */
export async function withinBounds<Result>(
  { ms, requests, rows, bytes, ignores_circuits = presentCall()?.ignores_circuits ?? false }: Bounds,
  work: () => Promise<Result>,
): Promise<Result> {
  const deadline = createDeadline(ms, () => new DOMException('The call is late', 'TimeoutError'))
  const count = counter(requests, 'requests')
  const call: VendorCall = {
    ignores_circuits,
    caller: presentCall()?.caller ?? {},
    is_answered: false,
    signal: deadline.signal,
    left: () => ms - deadline.used(),
    request: () => count(1),
    rows: counter(rows, 'rows'),
    bytes: counter(bytes, 'bytes'),
  }
  try {
    return await underDeadline(deadline, () => present.run(call, work))
  } finally {
    deadline.end(new DOMException('The call has ended', 'AbortError'))
  }
}
