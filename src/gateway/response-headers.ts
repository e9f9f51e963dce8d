/** The headers that every answer carries. */
import { API_VERSION } from '../lib/api.ts'
import type { Call } from './call.ts'

/** Milliseconds with two decimals, rounded down: parts do not add up to more than their total. */
const rounded = (ms: number): number => Math.floor(ms * 100) / 100

/** The timings of a call, for `meta.timings_ms` and `Server-Timing`. */
export function timingsOf(call: Call): Record<string, number> {
  const now = performance.now()
  const db_ms = call.context?.db_time.ms(now) ?? 0
  const upstream_ms = call.context?.upstream_time.ms(now) ?? 0
  return {
    total: rounded(now - call.started),
    ...(call.auth_ms !== null && { auth: rounded(call.auth_ms) }),
    ...(db_ms > 0 && { db: rounded(db_ms) }),
    ...(upstream_ms > 0 && { upstream: rounded(upstream_ms) }),
  }
}

function serverTiming(timings: Record<string, number>): string {
  let header = ''
  for (const name in timings) header += `${header === '' ? '' : ', '}${name};dur=${timings[name]}`
  return header
}

/** The `Cache-Control` of documents that describe the API, in the place of `no-store`. */
export const SCHEMA_CACHE = 'private, max-age=300'

/** The header `Sunset` (RFC 8594): the end of the caller's rotated key. */
function sunsetHeader({ viewer }: Call): Record<string, string> | undefined {
  return viewer?.sunset_at ? { Sunset: viewer.sunset_at.toUTCString() } : undefined
}

/** For both interfaces. */
export function commonHeaders(call: Call, timings: Record<string, number>): Record<string, string> {
  return {
    'X-Request-Id': call.id,
    'API-Version': API_VERSION,
    'Cache-Control': 'no-store',
    'Server-Timing': serverTiming(timings),
    'X-Content-Type-Options': 'nosniff',
    ...sunsetHeader(call),
    ...call.rates.headers(),
  }
}
