/**
 * The certainty about a write to a vendor after its request. A write is UNKNOWN only if its request may have reached the vendor
 * and no answer of sense came back.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { PortRefusal, PortUnavailable, withCertainty } from '../port.ts'

/** NOT_SENT: the vendor has not taken the request, and takes it later. REFUSED: the vendor does not take such a request. */
export type Certainty = 'NOT_SENT' | 'REFUSED' | 'MADE' | 'UNKNOWN'

/** 408: a request of which the vendor, or a gateway before it, has read a part. */
const STATUSES: Readonly<Record<number, Certainty>> = { 408: 'UNKNOWN', 425: 'NOT_SENT', 429: 'NOT_SENT' }

/** The certainty by the status of the answer. A redirect can follow what was made, and a 5xx can be a gateway's. */
export function certaintyByStatus(status: number): Certainty {
  const known = STATUSES[status]
  if (known) return known
  if (status >= 200 && status < 300) return 'MADE'
  return status >= 400 && status < 500 ? 'REFUSED' : 'UNKNOWN'
}

/** The codes of connections that were not made. */
const NOT_CONNECTED = new Set(['EAI_AGAIN', 'ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT'])

/** The certainty by the code of the error of the network. */
export const certaintyByCode = (code: string): Certainty => (NOT_CONNECTED.has(code) ? 'NOT_SENT' : 'UNKNOWN')

export const isNotMade = (certainty: Certainty): boolean =>
  certainty === 'NOT_SENT' || certainty === 'REFUSED'

/** The requests of a write that change something. */
interface Progress {
  /** Requests that may have reached the vendor. */
  open: number
  /** Requests that the vendor took. */
  taken: number
  /** A request was refused after others were taken. */
  is_partly_refused: boolean
}

const noRequest = (): Progress => ({ open: 0, taken: 0, is_partly_refused: false })

/** The failure of a write, by all of its requests: the failed one may be a read before or after the change. */
export function failureOfWrite(error: unknown, { open, taken, is_partly_refused }: Progress): unknown {
  if (is_partly_refused && error instanceof PortRefusal) {
    const answered = { is_ended: true, is_refusal: true }
    return new PortUnavailable('A part of the write was refused', { cause: error, ...answered })
  }
  if (!(error instanceof PortUnavailable)) return error
  if (taken > 0) return withCertainty(error, false)
  return open > 0 ? error : withCertainty(error, true)
}

const present = new AsyncLocalStorage<Progress>()

/** Does the work of a write, whose failure says what is certain about it. */
export async function asWrite<Result>(work: () => Promise<Result>): Promise<Result> {
  const progress = noRequest()
  try {
    return await present.run(progress, work)
  } catch (error) {
    throw failureOfWrite(error, progress)
  }
}

/** Sends a request that changes something, as a part of the write that the code runs in. */
export async function sendChange<Answer extends { status: number }>(
  send: () => Promise<Answer>,
): Promise<Answer> {
  const progress = present.getStore() ?? noRequest()
  progress.open++
  try {
    const answer = await send()
    const certainty = certaintyByStatus(answer.status)
    if (certainty === 'MADE') progress.taken++
    if (isNotMade(certainty)) progress.open--
    if (certainty === 'REFUSED' && progress.taken > 0) progress.is_partly_refused = true
    return answer
  } catch (error) {
    if (error instanceof PortUnavailable && error.not_made) progress.open--
    throw error
  }
}
