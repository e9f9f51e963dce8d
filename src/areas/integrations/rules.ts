/** The rules of integration requests. */
import type { Decision } from '../../access/limits/rules.ts'
import { limitOf } from '../../access/limits/state.ts'
import { type Integration, REGISTRY } from './registry.ts'

/** A tenant may send 5 requests in any 7 days. */
export const REQUESTS = limitOf('integration-requests', {
  name: 'integration_requests',
  quota: 5,
  window_seconds: 604_800,
})

/** In milliseconds. A request from the future was sent before the clock was set back: it counts as sent now. */
const instantsOf = (accepted: readonly Date[], now: Date): number[] =>
  accepted.map((at) => Math.min(at.getTime(), now.getTime()))

/**
 * The instant from which the tenant may send its next request; null if that is now. `accepted` holds when it
 * sent its latest ones, as many as the limit or more. A request leaves the window when it is exactly as old.
 */
export function nextRequestAt(accepted: readonly Date[], now: Date): Date | null {
  const newestFirst = instantsOf(accepted, now).sort((a, b) => b - a)
  const decisive = newestFirst[REQUESTS.quota - 1]
  if (decisive === undefined) return null
  const leaves = decisive + REQUESTS.window_seconds * 1000
  return leaves > now.getTime() ? new Date(leaves) : null
}

/** The decision on the next request: the rest of the limit, and the time until it is full again. */
export function limitDecision(accepted: readonly Date[], now: Date): Decision {
  const window_ms = REQUESTS.window_seconds * 1000
  const counted = instantsOf(accepted, now)
    .map((at) => at + window_ms)
    .filter((leaves) => leaves > now.getTime())
  const next = nextRequestAt(accepted, now)
  const remaining = Math.max(0, REQUESTS.quota - counted.length)
  const reset_seconds = Math.ceil((Math.max(now.getTime(), ...counted) - now.getTime()) / 1000)
  const retry_after_seconds = next === null ? 0 : secondsUntil(next, now)
  return {
    allowed: next === null,
    exhausted: next === null ? null : 'quota',
    remaining,
    reset_seconds,
    burst_remaining: remaining,
    burst_reset_seconds: reset_seconds,
    retry_after_seconds,
  }
}

/** Whole seconds until the instant, at least one. */
export const secondsUntil = (at: Date, now: Date): number =>
  Math.max(1, Math.ceil((at.getTime() - now.getTime()) / 1000))

const comparableName = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** The integration whose label or name is the vendor's, letter case, spaces and punctuation aside. */
export const findListed = (vendor_name: string): Integration | undefined =>
  REGISTRY.find(({ label, name }) =>
    [label, name].some((known) => comparableName(known) === comparableName(vendor_name)),
  )

/** Text that `URL` would repair: it adds slashes, turns backslashes round and removes white space. */
const REPAIRED_BY_URL = /[\s\p{Cc}\\]|^https?:(?!\/\/[^/])/iu

/** True for an http or https address without a user name and password in it. */
export function isDocsUrl(text: string): boolean {
  if (REPAIRED_BY_URL.test(text) || !URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return ['http:', 'https:'].includes(protocol) && username === '' && password === ''
}
