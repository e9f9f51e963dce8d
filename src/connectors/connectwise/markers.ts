/**
 * Markers of idempotency keys. The vendor has no such keys: what a write makes is marked, so that it is found again. Tickets
 * have them in `externalXRef`, notes in their text, time entries in their internal notes.
 */
import { createHash } from 'node:crypto'

const HEX_DIGITS = 20
const PREFIX = 'asp:'
/** `externalXRef` has at most 100 characters (OpenAPI 2025.1): room for the markers of so many writes. */
const KEPT = 4

/** The vendor compares text in any letter case: hexadecimal digits lose nothing by that. */
export const markerOf = (connection_id: string, key: string): string =>
  createHash('sha256').update(`${connection_id}\0${key}`).digest('hex').slice(0, HEX_DIGITS)

/** The markers of a field. null: it has something else, which is not ours to change. */
export function markersIn(text: string | undefined | null): string[] | null {
  if (!text) return []
  return text.startsWith(PREFIX) ? text.slice(PREFIX.length).split('.') : null
}

/** The field with one more marker: the first, which is of the creation, and the last ones. */
export function withMarker(markers: readonly string[], marker: string): string {
  const [first, ...rest] = [...markers, marker]
  return `${PREFIX}${[first, ...rest.slice(-(KEPT - 1))].join('.')}`
}

export interface SignedText {
  text: string
  author: string | null
  marker: string | null
}

const SIGNATURE = /\n\n\u2014 ([^\n]*)\n\[asp:([0-9a-f]{20})\]\s*$/

/** The API member is the author of every note that the API writes: the text names who really wrote it. */
export const signed = (text: string, author: string, marker: string): string =>
  `${text}\n\n\u2014 ${author.replace(/\s+/g, ' ')}\n[${PREFIX}${marker}]`

export function parseSigned(text: string): SignedText {
  const found = SIGNATURE.exec(text)
  if (!found) return { text, author: null, marker: null }
  return { text: text.slice(0, found.index), author: found[1] ?? null, marker: found[2] ?? null }
}
