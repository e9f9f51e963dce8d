/** The one table of conversions: a column has the same value by SQL and by Prisma, on both databases. */
import pg from 'pg'
import { unreadableTime } from './errors.ts'
import type { Prisma } from './generated/client/client.ts'

type Parse = (text: string) => unknown

const OID = {
  bytea: 17,
  int8: 20,
  text: 25,
  json: 114,
  date: 1082,
  timestamptz: 1184,
  numeric: 1700,
  jsonb: 3802,
}
const ARRAY_OID = { int4: 1007, text: 1009, int8: 1016, timestamptz: 1185 }

const builtIn = (oid: number): Parse => pg.types.getTypeParser(oid, 'text')

const arrayOf =
  (parse: Parse): Parse =>
  (text) =>
    (builtIn(ARRAY_OID.text)(text) as (string | null)[]).map((item) => (item === null ? null : parse(item)))

/** NaN for a character that is no digit. A time that is made of one is invalid. */
const digit = (text: string, at: number): number => {
  const value = text.charCodeAt(at) - 48
  return value >= 0 && value <= 9 ? value : Number.NaN
}
const two = (text: string, at: number): number => digit(text, at) * 10 + digit(text, at + 1)

/** The milliseconds of a time whose fraction has none to six digits. */
function millisecondsOf(text: string): number {
  const digits = text.length - '2026-01-31 12:30:00.'.length - '+00'.length
  let ms = 0
  for (let at = 0; at < 3; at++) ms = ms * 10 + (at < digits ? digit(text, 20 + at) : 0)
  return ms
}

/** Sessions are in UTC. What PostgreSQL writes of the years 1000 to 9999 is read by its digits, which is fastest. */
function commonInstant(text: string): Date {
  const year = two(text, 0) * 100 + two(text, 2)
  const [month, day] = [two(text, 5) - 1, two(text, 8)]
  return new Date(
    Date.UTC(year, month, day, two(text, 11), two(text, 14), two(text, 17), millisecondsOf(text)),
  )
}

const COMMON = '2026-01-31 12:30:00+00'.length
const isCommon = (text: string): boolean =>
  text.endsWith('+00') &&
  text[4] === '-' &&
  text[7] === '-' &&
  text[10] === ' ' &&
  text[0] !== '0' &&
  (text.length === COMMON || text[19] === '.')

/** Every instant as PostgreSQL writes it with DateStyle ISO. `pg` reads other texts as null, infinity, or another time. */
const INSTANT = /^\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d(:\d\d){0,2}( BC)?$/

const checked = (time: Date, text: string): Date => {
  if (Number.isNaN(time.getTime())) throw unreadableTime(text)
  return time
}

/** An instant that no Date can be, such as infinity, is an error: what compared with it would be decided by chance. */
const instant = (text: string): Date => {
  if (isCommon(text)) return checked(commonInstant(text), text)
  if (!INSTANT.test(text)) throw unreadableTime(text)
  return checked(builtIn(OID.timestamptz)(text) as Date, text)
}

const bytes: Parse = (text) => new Uint8Array(builtIn(OID.bytea)(text) as Buffer)

/** A date is midnight in UTC. */
const day: Parse = (text) =>
  instant(text.endsWith(' BC') ? text.replace(' BC', ' 00:00:00+00 BC') : `${text} 00:00:00+00`)

/** int8 and numeric are numbers, a date is an instant; everything else is what `pg` makes of it. */
export const parsers: Record<number, Parse> = {
  [OID.bytea]: bytes,
  [OID.int8]: Number,
  [OID.json]: JSON.parse,
  [OID.date]: day,
  [OID.timestamptz]: instant,
  [OID.numeric]: Number,
  [OID.jsonb]: JSON.parse,
  [ARRAY_OID.int4]: builtIn(ARRAY_OID.int4),
  [ARRAY_OID.text]: builtIn(ARRAY_OID.text),
  [ARRAY_OID.int8]: arrayOf(Number),
  [ARRAY_OID.timestamptz]: arrayOf(instant),
}

const asText = builtIn(OID.text)

/** Reads the text of a column; null if the value is the text itself. */
export function parserOf(oid: number): Parse | null {
  const parse = parsers[oid] ?? builtIn(oid)
  return parse === asText ? null : parse
}

type ConvertedValue<Value> = Value extends Prisma.Decimal | bigint ? number : Value

/** A row that Prisma reads, with the types that SQL gives. */
export type Converted<Row> = { [Name in keyof Row]: ConvertedValue<Row[Name]> }

const isDecimal = (value: object): value is Prisma.Decimal =>
  'toNumber' in value && typeof value.toNumber === 'function'

/** Plain objects are rows, relations and JSON, of which none holds a number of another kind. */
const isPlain = (value: object): value is Record<string, unknown> =>
  Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null

/**
 * Converts rows that Prisma read: a Decimal or bigint becomes a number. Rows are changed in place. A time that Prisma could
 * not read is an error.
 */
export function convertRow(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return checked(value, String(value))
  if (isDecimal(value)) return value.toNumber()
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) value[index] = convertRow(item)
  } else if (isPlain(value)) {
    for (const [name, item] of Object.entries(value)) value[name] = convertRow(item)
  }
  return value
}
