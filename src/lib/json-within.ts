/** Writes JSON that has a most of bytes, without ever holding much more of it. */

/** A value that is lighter is written at once. */
const LIGHT = 128 * 1024

/** What is left of `room` once the value's characters are counted, the least that they can be; negative: too many. */
function roomAfter(value: unknown, room: number): number {
  if (typeof value === 'string') return room - value.length - 2
  if (typeof value !== 'object' || value === null) return room - 4
  let left = room - 2
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && left >= 0; at++) left = roomAfter(value[at], left - 1)
    return left
  }
  for (const name in value) {
    if (left < 0) break
    left = roomAfter((value as Record<string, unknown>)[name], left - name.length - 4)
  }
  return left
}

class Full extends Error {}

/** Collects pieces of a text, up to a number of bytes. */
class Pieces {
  readonly #texts: string[] = []
  #room: number

  constructor(max_bytes: number) {
    this.#room = max_bytes
  }

  add(text: string): void {
    this.#room -= Buffer.byteLength(text)
    if (this.#room < 0) throw new Full()
    this.#texts.push(text)
  }

  toString(): string {
    return this.#texts.join('')
  }
}

const isSmall = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || 'toJSON' in value || roomAfter(value, LIGHT) >= 0

/** Writes the value, heavy lists and objects member by member. */
function write(value: unknown, pieces: Pieces): void {
  if (isSmall(value)) pieces.add(JSON.stringify(value) ?? 'null')
  else if (Array.isArray(value)) writeList(value, pieces)
  else writeObject(value as object, pieces)
}

function writeList(items: readonly unknown[], pieces: Pieces): void {
  pieces.add('[')
  for (const [index, item] of items.entries()) {
    if (index > 0) pieces.add(',')
    write(item, pieces)
  }
  pieces.add(']')
}

function writeObject(value: object, pieces: Pieces): void {
  let separator = '{'
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined || typeof member === 'function') continue
    pieces.add(`${separator}${JSON.stringify(name)}:`)
    write(member, pieces)
    separator = ','
  }
  pieces.add(separator === '{' ? '{}' : '}')
}

/** The value as `JSON.stringify` writes it; null if that has more bytes. */
export function jsonWithin(value: unknown, max_bytes: number): string | null {
  const pieces = new Pieces(max_bytes)
  try {
    write(value, pieces)
  } catch (error) {
    if (error instanceof Full) return null
    throw error
  }
  return pieces.toString()
}
