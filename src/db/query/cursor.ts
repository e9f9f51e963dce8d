/** Signed cursors: the start of the next page of one list with one set of filters. */
import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../../errors/errors.ts'

const LIFETIME_MS = 24 * 60 * 60 * 1000
const TAG_BYTES = 16

type Key = (string | number | boolean | null)[]

/** The list, the caller and the filters that a cursor belongs to. */
export interface CursorScope {
  tenant_id: string
  environment: string
  operation: string
  /** The list's arguments, but for `page_size` and `cursor`. */
  filters: Record<string, unknown>
}

function tag(secret: string, payload: string, { tenant_id, environment, operation }: CursorScope): Buffer {
  return createHmac('sha256', secret)
    .update(JSON.stringify([tenant_id, environment, operation, payload]))
    .digest()
    .subarray(0, TAG_BYTES)
}

/** The values of a filter are a set: order and repetition do not matter. */
const asSet = (value: unknown): unknown => (Array.isArray(value) ? [...new Set(value)].sort() : value)

function filterHash(filters: Record<string, unknown>): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== null)
  const sorted = given
    .map(([name, value]) => [name, asSet(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return hash('sha256', JSON.stringify(sorted), 'base64url').slice(0, 12)
}

/** The cursor of the row with this sort key. The first secret signs. */
export function encodeCursor(secrets: readonly string[], scope: CursorScope, key: Key, now: Date): string {
  const exp = now.getTime() + LIFETIME_MS
  const payload = JSON.stringify({ v: 1, k: key, f: filterHash(scope.filters), e: exp })
  const signature = tag(secrets[0] ?? '', payload, scope)
  return Buffer.concat([signature, Buffer.from(payload)]).toString('base64url')
}

const refuse = (reason: 'MALFORMED' | 'FILTERS_CHANGED' | 'EXPIRED') =>
  new ApiError('invalid_cursor', { details: { reason } })

/** The sort key in the cursor; 400 `invalid_cursor` if it is not one of this list. Any secret verifies. */
export function decodeCursor(secrets: readonly string[], scope: CursorScope, cursor: string, now: Date): Key {
  const bytes = Buffer.from(cursor, 'base64url')
  if (bytes.length <= TAG_BYTES || bytes.toString('base64url') !== cursor) throw refuse('MALFORMED')
  const payload = bytes.subarray(TAG_BYTES).toString()
  const signature = bytes.subarray(0, TAG_BYTES)
  if (!secrets.some((secret) => timingSafeEqual(tag(secret, payload, scope), signature)))
    throw refuse('MALFORMED')
  const { k, f, e } = JSON.parse(payload)
  if (f !== filterHash(scope.filters)) throw refuse('FILTERS_CHANGED')
  if (e <= now.getTime()) throw refuse('EXPIRED')
  return k
}
