/**
 * Markers of idempotency keys, for systems that have no such keys: what a write makes is marked, so that it is found again.
 * An adapter says which field has the marker.
 */
import { createHash } from 'node:crypto'
import { asWrite } from './http/certainty.ts'
import { idOf } from './ids.ts'
import type { NotYet } from './port.ts'
import type { Psa, PsaTicket, PsaWrite } from './psa.ts'

const HEX_DIGITS = 20
const PREFIX = 'asp:'

/** Systems compare text in any letter case: hexadecimal digits lose nothing by that. Fewer digits are for short fields. */
export const markerOf = (connection_id: string, key: string, digits = HEX_DIGITS): string =>
  createHash('sha256').update(`${connection_id}\0${key}`).digest('hex').slice(0, digits)

/** The markers of a field. null: it has something else, which is not ours to change. */
export function markersIn(text: string | undefined | null): string[] | null {
  if (!text) return []
  return text.startsWith(PREFIX) ? text.slice(PREFIX.length).split('.') : null
}

/**
 * A field of so many characters with one more marker: the first, which is of the creation, and of the others as many of the
 * last ones as it has room for.
 */
export function withMarker(markers: readonly string[], marker: string, max_length: number): string {
  const kept = [...markers, marker]
  while (`${PREFIX}${kept.join('.')}`.length > max_length) kept.splice(1, 1)
  return `${PREFIX}${kept.join('.')}`
}

export interface SignedText {
  text: string
  author: string | null
  marker: string | null
}

const SIGNATURE = /\n\n\u2014 ([^\n]*)\n\[asp:([0-9a-f]{20})\]\s*$/

/** The user of the API is the author of every note that it writes: the text names who really wrote it. */
export const signed = (text: string, author: string, marker: string): string =>
  `${text}\n\n\u2014 ${author.replace(/\s+/g, ' ')}\n[${PREFIX}${marker}]`

export function parseSigned(text: string): SignedText {
  const found = SIGNATURE.exec(text)
  if (!found) return { text, author: null, marker: null }
  return { text: text.slice(0, found.index), author: found[1] ?? null, marker: found[2] ?? null }
}

/** The writes that are under way in this process, by connection and key. */
const under_way = new Map<string, Promise<unknown>>()

/** Gives the work its marker. Calls of this process with one key at the same time share the work. */
export async function markedOnce<Result>(
  { connection_id }: { connection_id: string },
  key: string,
  work: (marker: string) => Promise<Result>,
  digits = HEX_DIGITS,
): Promise<Result> {
  const name = `${connection_id} ${key}`
  const known = under_way.get(name) as Promise<Result> | undefined
  if (known) return await known
  const made = asWrite(() => work(markerOf(connection_id, key, digits)))
  under_way.set(name, made)
  try {
    return await made
  } finally {
    under_way.delete(name)
  }
}

/** A write that changes a ticket or a time entry. */
export type ChangeWrite = Extract<PsaWrite, { ticket_id: string } | { time_entry_id: string }>

/** The ways in which an adapter finds what a write of the marker made. */
interface Finders {
  newTicket(marker: string): Promise<unknown>
  note(ticket: number, marker: string): Promise<unknown>
  timeEntry(ticket: number, marker: string): Promise<unknown>
  changed(marker: string, write: ChangeWrite): Promise<boolean>
}

/** True if the PSA has what the write made. */
export async function isMadeBy(finders: Finders, marker: string, write: PsaWrite): Promise<boolean> {
  if (write === 'NEW_TICKET') return Boolean(await finders.newTicket(marker))
  if ('ticket_id' in write || 'time_entry_id' in write) return await finders.changed(marker, write)
  const [on, find] = 'note_on' in write ? [write.note_on, finders.note] : [write.time_on, finders.timeEntry]
  const id = idOf(on)
  return id !== null && Boolean(await find(id, marker))
}

/** The instant until which a write may be under way, and now. */
export interface Asked {
  now: Date
  ends_at: Date
}

/** The outcome of a write that is not found. `shown_after_ms`: the time until the system shows what it has made. */
export function notFound({ now, ends_at }: Asked, shown_after_ms = 0): 'NOT_MADE' | NotYet {
  const asked_again_at = new Date(ends_at.getTime() + shown_after_ms)
  return now < asked_again_at ? { asked_again_at } : 'NOT_MADE'
}

/** True if the ticket has every value of the changes. Titles can be cut. */
export function hasChanges(ticket: PsaTicket, changes: Parameters<Psa['updateTicket']>[1]): boolean {
  const values = Object.entries(changes)
  const has = (field: string, value: unknown): boolean => {
    const found = ticket[field as keyof PsaTicket]
    return field === 'title' && found ? String(value).startsWith(String(found)) : found === value
  }
  return values.length > 0 && values.every(([field, value]) => has(field, value))
}
