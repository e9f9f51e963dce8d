/** Failures of requests to vendors. None has anything of a vendor's answer, or of the request. */
import { PortUnavailable } from '../port.ts'
import type { UnavailableKind } from '../unavailable.ts'
import { certaintyByCode, certaintyByStatus, isNotMade } from './certainty.ts'

interface FailureOptions {
  retry_after_seconds?: number
  kind?: UnavailableKind
  not_made?: boolean
  is_ended?: boolean
  is_refusal?: boolean
  /** Another attempt may succeed. */
  is_passing?: boolean
  is_outage?: boolean
}

export class VendorFailure extends PortUnavailable {
  readonly is_passing: boolean

  constructor(message: string, options: FailureOptions = {}) {
    const { is_passing = false, ...rest } = options
    super(message, rest)
    this.is_passing = is_passing
  }
}

const MAX_RETRY_AFTER_SECONDS = 3600

/** `Retry-After` in seconds, which are given as such or by an HTTP date. */
export function retryAfterSeconds(
  header: string | undefined,
  now: Date,
  max_seconds = MAX_RETRY_AFTER_SECONDS,
): number | undefined {
  if (header === undefined) return undefined
  const seconds = /^\d+$/.test(header.trim())
    ? Number(header)
    : (new Date(header).getTime() - now.getTime()) / 1000
  if (Number.isNaN(seconds)) return undefined
  return Math.ceil(Math.min(max_seconds, Math.max(1, seconds)))
}

const CREDENTIALS = new Set([401, 403])
/** Another attempt may be answered. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504])

/** The failure that a status is; null for one that answers the request, if only by refusing it. */
export function statusFailure(
  vendor: string,
  status: number,
  retry_after_seconds: number | undefined,
): VendorFailure | null {
  const is_redirect = status < 200 || (status >= 300 && status < 400)
  if (is_redirect) return new VendorFailure(`${vendor} answered with a redirect (${status})`)
  const message = `${vendor} answered ${status}`
  if (CREDENTIALS.has(status)) return new VendorFailure(message, { kind: 'CREDENTIALS' })
  if (status < 500 && !PASSING.has(status)) return null
  return new VendorFailure(message, {
    ...(retry_after_seconds !== undefined && { retry_after_seconds }),
    ...(status === 429 && { kind: 'LIMIT' as const }),
    not_made: isNotMade(certaintyByStatus(status)),
    // Other errors can be those of a gateway before a system that goes on.
    is_ended: status === 429 || status === 500,
    is_passing: PASSING.has(status),
    is_outage: status >= 500,
  })
}

/** The code of an error of the network. */
export const codeOf = (error: unknown): string => {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return String(code ?? name)
}

/** The codes of what signals abort with: of a call that has ended, and of a deadline. */
const ENDED = String(DOMException.ABORT_ERR)
const LATE = String(DOMException.TIMEOUT_ERR)

/** The outcome of a request that was not answered. `is_own_end`: the call took too long for other reasons than this request. */
export function networkFailure(vendor: string, error: unknown, is_own_end = false): VendorFailure {
  const code = codeOf(error)
  if (code === ENDED) return new VendorFailure(`The call of ${vendor} ended before its answer`)
  if (code === LATE) return new VendorFailure(`${vendor} did not answer in time`, { is_outage: !is_own_end })
  return new VendorFailure(`${vendor} could not be reached (${code})`, {
    not_made: isNotMade(certaintyByCode(code)),
    is_passing: true,
    is_outage: true,
  })
}
