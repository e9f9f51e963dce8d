/**
 * The terms of ports.
 *
 * port: an interface to one kind of system. Areas and tools know nothing else of any system.
 * adapter: an implementation of a port for one system. `test/connectors` has a suite for each port, which tries every
 * adapter by the promises that are written in the port.
 * connector: makes the port of a context's tenant.
 *
 * Promises of every port: ids are the system's own. A read answers with null or with an empty list if the system has
 * no such thing. Every call rejects with PortUnavailable if the system cannot be reached, does not answer in time or does
 * not accept the credentials, and a write with PortRefusal if the system does not take it; then nothing was written. A
 * call that the system cannot do at all rejects with the PortRefusal NOT_SUPPORTED. Writes happen once for each
 * idempotency key: a repeated call with the same key writes nothing and answers as the first one did, or with the thing
 * as it is now. A key belongs to one write of a tenant.
 */
import type { DatabaseContext } from '../db/db.ts'
import type { Stopwatch } from '../lib/stopwatch.ts'
import type { UnavailableKind } from './unavailable.ts'

/**
 * Whose calls go before others’ while the requests that the service may make to a vendor are short: those of people, who wait
 * for the answer, then those of agents, of callbacks, and of syncs.
 */
export type Pace = 'PERSON' | 'AGENT' | 'CALLBACK' | 'SYNC'

/** The one on whose behalf a call is made. */
export interface Asker {
  /** By default PERSON. */
  pace?: Pace
  /** Requests that were taken of the budget before the call. */
  prepaid?: { requests: number }
  /** True: the call has its time, in which it waits for its turn too. Writes have, so that nobody takes a late one for lost. */
  is_bounded?: boolean
  /** Aborted when nobody waits for the call any more: what waits for its turn then is not made. */
  signal?: AbortSignal
}

/** The context of a call: the tenant whose system it is, and the clock. */
export interface PortContext extends DatabaseContext, Asker {
  now: Date
  /** True: no write with the same key was tried before, so that an adapter need not look for what it made. */
  is_first_try?: boolean
  /** Measures the time in which the call waits for other systems. */
  upstream_time?: Stopwatch
  /** True: reads are not shared, so that they see what other processes have written. */
  fresh?: boolean
}

/** The port of the context's tenant. An adapter reads from the database where and how to reach the system. */
export interface Connector<Port> {
  (ctx: PortContext): Port
  /** It keeps its data in the service's own database, and its calls are part of the caller's transaction. */
  joins_transactions?: true
}

/** The system that serves a call. */
export interface ChosenSystem<Port> {
  /** Tells systems apart, and the versions of a connection: what is read from one is not the answer of another. */
  key: string
  joins_transactions: boolean
  connect: (ctx: PortContext) => Port
}

/** Chooses the system by what the context's tenant has connected at present. */
export type Chooser<Port> = (ctx: PortContext) => Promise<ChosenSystem<Port>>

/** A search for things that contain every one of the words, in any letter case. */
export interface Search {
  words: string
  /** Only what belongs to the company. */
  psa_company_id: string | null
  /** The most results. */
  limit: number
}

/** MADE: the write of the key was made. NOT_MADE: it was not, and a call with the key makes it. UNKNOWN: the system cannot tell. */
export type Outcome = 'MADE' | 'NOT_MADE' | 'UNKNOWN'

/** The write is not found, and may still show: the system is asked again then. */
export interface NotYet {
  asked_again_at: Date
}

export interface Outcomes {
  /** The outcome of the write of this key. It asks the system each time. */
  outcomeOf(idempotency_key: string): Promise<Outcome>
}

/** READ: it can be repeated, and its result shared. OUTCOME: it can be repeated. WRITE: its key makes it once. */
type CallKind = 'READ' | 'OUTCOME' | 'WRITE'

/** The most that a call may take of a vendor, over all requests that its adapter makes for it. */
export interface CallBounds {
  /** Milliseconds, in which the pauses between attempts count. */
  ms: number
  /** Requests, each attempt and each page by itself. */
  requests: number
  /** Rows of lists. */
  rows: number
  /** Bytes of the bodies of answers. */
  bytes: number
}

export interface PortDescription<Port> {
  /** The kind of system, as errors name it. */
  upstream: string
  calls: Readonly<Record<keyof Port, CallKind>>
  /** The bounds of calls that need more than usual. */
  bounds?: Readonly<Partial<Record<keyof Port, Partial<CallBounds>>>>
}

interface UnavailableOptions {
  cause?: unknown
  retry_after_seconds?: number
  kind?: UnavailableKind
  /** True if a write was certainly not made. */
  not_made?: boolean
  /** True if the system as a whole failed: it could not be reached, did not answer in time, or answered with an error of its own. */
  is_outage?: boolean
  /** True if the system has ended with the request: it answered, if only with an error. */
  is_ended?: boolean
  /** True if the answer is one with which the system refuses requests, and answers its own faults too. */
  is_refusal?: boolean
}

/** The system does not serve the call. Of a write it is then unknown whether it was made, unless `not_made` is true. */
export class PortUnavailable extends Error {
  readonly retry_after_seconds: number
  readonly kind: UnavailableKind
  readonly not_made: boolean
  readonly is_outage: boolean
  readonly is_ended: boolean
  readonly is_refusal: boolean

  constructor(
    message: string,
    {
      cause,
      retry_after_seconds = 5,
      kind = 'OUTAGE',
      not_made = kind === 'CREDENTIALS',
      is_outage = false,
      is_ended = not_made,
      is_refusal = false,
    }: UnavailableOptions = {},
  ) {
    super(message, { cause })
    this.retry_after_seconds = retry_after_seconds
    this.kind = kind
    this.not_made = not_made
    this.is_outage = is_outage
    this.is_ended = is_ended
    this.is_refusal = is_refusal
  }
}

/** The failure with another certainty about the write. */
export function withCertainty(cause: PortUnavailable, not_made: boolean): PortUnavailable {
  if (cause.not_made === not_made) return cause
  const { message, ...told } = cause
  return new PortUnavailable(message, { ...told, cause, not_made, is_ended: not_made || cause.is_ended })
}

/** The failure of a request before the write: the write was not made. */
export const notMade = (cause: unknown): unknown =>
  cause instanceof PortUnavailable ? withCertainty(cause, true) : cause

/** The reasons for which a system does not take a write. */
export type RefusalReason =
  | 'ACCOUNT_NOT_FOUND'
  | 'AGREEMENT_NOT_FOUND'
  | 'ALERT_NOT_FOUND'
  | 'CHANGE_REFUSED'
  | 'CHANNEL_CLOSED'
  | 'COMPANY_NOT_FOUND'
  | 'CONTACT_NOT_FOUND'
  | 'DEVICE_NOT_FOUND'
  | 'DOCUMENT_NOT_FOUND'
  | 'GROUP_NOT_FOUND'
  | 'NOT_SUPPORTED'
  | 'NO_LICENCE_LEFT'
  | 'SCRIPT_NOT_FOUND'
  | 'STATUS_NOT_FOUND'
  | 'TECHNICIAN_NOT_FOUND'
  | 'TICKET_MERGED_INTO_ITSELF'
  | 'TICKET_NOT_FOUND'
  | 'TIME_ENTRY_NOT_FOUND'
  | 'USER_NAME_TAKEN'

/** The system does not take a write, and made nothing of it. */
export class PortRefusal extends Error {
  readonly reason: RefusalReason

  constructor(reason: RefusalReason) {
    super(`The system refused the change: ${reason}`)
    this.reason = reason
  }
}

/** What a write needs; without it the write is refused. */
export function need<Thing>(thing: Thing | null | undefined, reason: RefusalReason): Thing {
  if (thing == null) throw new PortRefusal(reason)
  return thing
}
