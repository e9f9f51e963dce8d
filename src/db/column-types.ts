/** The text of a column as the value our code sees, the same on both databases. */

import pg from 'pg'

type Parse = (text: string) => unknown

const OID = { bytea: 17, int8: 20, json: 114, date: 1082, timestamptz: 1184, numeric: 1700, jsonb: 3802 }
const ARRAY_OID = { int4: 1007, text: 1009, int8: 1016, timestamptz: 1185 }

const builtIn = (oid: number): Parse => pg.types.getTypeParser(oid, 'text')

const numbers: Parse = (text) =>
  (builtIn(ARRAY_OID.text)(text) as (string | null)[]).map((item) => (item === null ? null : Number(item)))

/** Sessions are in UTC, and Date reads what it writes faster than `pg` reads PostgreSQL's form. */
const instant: Parse = (text) =>
  text.endsWith('+00') && text[10] === ' '
    ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`)
    : builtIn(OID.timestamptz)(text)

/** int8 and numeric are numbers, a date is its own text, everything else is what `pg` makes of it. */
export const parsers: Record<number, Parse> = {
  [OID.bytea]: builtIn(OID.bytea),
  [OID.int8]: Number,
  [OID.json]: JSON.parse,
  [OID.date]: String,
  [OID.timestamptz]: instant,
  [OID.numeric]: Number,
  [OID.jsonb]: JSON.parse,
  [ARRAY_OID.int4]: builtIn(ARRAY_OID.int4),
  [ARRAY_OID.text]: builtIn(ARRAY_OID.text),
  [ARRAY_OID.int8]: numbers,
  [ARRAY_OID.timestamptz]: builtIn(ARRAY_OID.timestamptz),
}
