/** Cursors that only this process makes: bound to the tenant, the list and its filters, good for a day. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Caller, type Page, Refusal } from './call.ts'

const { SECRET = '' } = process.env
const LIFETIME_MS = 24 * 60 * 60 * 1000

type Key = (string | number | boolean)[]

const sign = (list: string, { tenant_id, environment }: Caller, payload: string): Buffer =>
  createHmac('sha256', SECRET)
    .update(`${tenant_id}\n${environment}\n${list}\n${payload}`)
    .digest()
    .subarray(0, 16)

function encode(list: string, caller: Caller, key: Key): string {
  const payload = JSON.stringify({ key, expires_at: Date.now() + LIFETIME_MS })
  return Buffer.concat([sign(list, caller, payload), Buffer.from(payload)]).toString('base64url')
}

/** The sort key that the page starts after; `list` names the list with its filters. */
export function decode(list: string, caller: Caller, cursor: string): Key {
  const bytes = Buffer.from(cursor, 'base64url')
  const payload = bytes.subarray(16).toString()
  if (bytes.length <= 16 || !timingSafeEqual(sign(list, caller, payload), bytes.subarray(0, 16)))
    throw new Refusal(400, 'invalid_cursor')
  const { key, expires_at } = JSON.parse(payload)
  if (expires_at <= Date.now()) throw new Refusal(400, 'invalid_cursor')
  return key
}

/** The page that starts the rows, of which one more than fits was read. */
export function paged<Row>(
  list: string,
  caller: Caller,
  read: Row[],
  size: number,
  keyOf: (row: Row) => Key,
): { items: Row[]; pagination: Page } {
  const items = read.slice(0, size)
  const last = items.at(-1)
  const has_more = read.length > size
  return {
    items,
    pagination: { next_cursor: has_more && last ? encode(list, caller, keyOf(last)) : null, has_more },
  }
}

export const pageQuery = {
  page_size: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
  cursor: { type: 'string', maxLength: 2000 },
} as const
