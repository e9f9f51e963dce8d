/**
 * The call of a port, over all requests that its adapter makes for it. Whoever answers can answer for ever: a call has bounds,
 * and at its end every request that it still makes is given up.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { CallBounds } from '../port.ts'
import { VendorFailure } from './failure.ts'

const MEGABYTE = 1024 * 1024

/** The bounds of a call that declares none of its own. */
export const READ_BOUNDS: CallBounds = { ms: 7500, requests: 100, rows: 20_000, bytes: 16 * MEGABYTE }

/** A write looks for what an earlier attempt has made before it makes it. */
export const WRITE_BOUNDS: CallBounds = { ...READ_BOUNDS, ms: 19_500 }

export interface VendorCall {
  /** Aborts at the deadline of the call, and at its end. */
  signal: AbortSignal
  /** Each rejects what is over the bounds. */
  request(): void
  rows(count: number): void
  bytes(count: number): void
}

const present = new AsyncLocalStorage<VendorCall>()

/** The call that the code runs in; undefined outside of every call. */
export const presentCall = (): VendorCall | undefined => present.getStore()

function counter(maximum: number, what: string): (count: number) => void {
  let left = maximum
  return (count) => {
    left -= count
    if (left < 0) throw new VendorFailure(`A call takes at most ${maximum} ${what}`, { kind: 'TOO_MUCH' })
  }
}

/** Does the work within the bounds. A call in a call has bounds of its own. */
export async function withinBounds<Result>(
  { ms, requests, rows, bytes }: CallBounds,
  work: () => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController()
  const timer = setTimeout(() => ended.abort(new DOMException('The call is late', 'TimeoutError')), ms)
  const count = counter(requests, 'requests')
  const call: VendorCall = {
    signal: ended.signal,
    request: () => count(1),
    rows: counter(rows, 'rows'),
    bytes: counter(bytes, 'bytes'),
  }
  try {
    return await present.run(call, work)
  } finally {
    clearTimeout(timer)
    ended.abort(new DOMException('The call has ended', 'AbortError'))
  }
}
