/** The rules of integration requests. */
import type { Decision } from '../../access/limits/rules.ts'
import { type Integration, REGISTRY } from './registry.ts'

/** A tenant may send 5 requests in any 7 days. */
export const REQUESTS = { limit: 5, window_seconds: 604_800 } as const

/**
 * The instant from which the tenant may send its next request; null where that is now. `accepted` holds when it
 * sent its latest ones, as many as the limit or more. A request leaves the window when it is exactly as old.
 */
export function nextRequestAt(accepted: readonly Date[], now: Date): Date | null {
  const newestFirst = accepted.map((at) => at.getTime()).sort((a, b) => b - a)
  const decisive = newestFirst[REQUESTS.limit - 1]
  if (decisive === undefined) return null
  const leaves = decisive + REQUESTS.window_seconds * 1000
  return leaves > now.getTime() ? new Date(leaves) : null
}

/** How the tenant stands with the limit: what is left of it now, and when all of it is there again. */
export function standingOf(accepted: readonly Date[], now: Date): Decision {
  const window_ms = REQUESTS.window_seconds * 1000
  const counted = accepted.map((at) => at.getTime() + window_ms).filter((leaves) => leaves > now.getTime())
  const next = nextRequestAt(accepted, now)
  return {
    allowed: next === null,
    remaining: Math.max(0, REQUESTS.limit - counted.length),
    reset_seconds: Math.ceil((Math.max(now.getTime(), ...counted) - now.getTime()) / 1000),
    retry_after_seconds: next === null ? 0 : secondsUntil(next, now),
  }
}

/** Whole seconds until the instant, at least one. */
export const secondsUntil = (at: Date, now: Date): number =>
  Math.max(1, Math.ceil((at.getTime() - now.getTime()) / 1000))

const bare = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** The integration whose label or name is the vendor's, letter case, spaces and punctuation aside. */
export const listed = (vendor_name: string): Integration | undefined =>
  REGISTRY.find(({ label, name }) => [label, name].some((known) => bare(known) === bare(vendor_name)))

/** `URL` mends what is none: it adds slashes, turns others round and leaves out white space. */
const MENDED = /[\s\p{Cc}\\]|^https?:(?!\/\/[^/])/iu

/** Whether the text is an http or https address without a user name and password in it. */
export function isDocsUrl(text: string): boolean {
  if (MENDED.test(text) || !URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return ['http:', 'https:'].includes(protocol) && username === '' && password === ''
}
