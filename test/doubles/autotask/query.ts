/** The query language that the double knows. Whatever else is asked is refused. */

export type Row = Record<string, unknown>
export type Kind = 'number' | 'text' | 'flag' | 'time'
/** The fields of an entity, by their names. */
export type Fields = Readonly<Record<string, Kind>>
type Test = (row: Row) => boolean

export class BadQuery extends Error {}

const OPERATORS = [
  'eq',
  'noteq',
  'gt',
  'gte',
  'lt',
  'lte',
  'beginsWith',
  'endsWith',
  'contains',
  'exist',
  'notExist',
  'in',
  'notIn',
]
const OF_TEXT = ['beginsWith', 'endsWith', 'contains']
const MAX_ALTERNATIVES = 500
const MAX_RECORDS = 500
const BODY = ['filter', 'MaxRecords', 'IncludeFields']

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value as it is compared; a value of another kind than the field’s is refused: “Conversion failed”. */
function comparable(kind: Kind, value: unknown): string | number | boolean {
  if (kind === 'number' && typeof value === 'number') return value
  if (kind === 'flag' && typeof value === 'boolean') return value
  if (kind === 'text' && typeof value === 'string') return value.toLowerCase()
  if (kind === 'time' && typeof value === 'string' && !Number.isNaN(Date.parse(value)))
    return Date.parse(/Z$/.test(value) ? value : `${value}Z`)
  throw new BadQuery(`Conversion failed when converting the value ${JSON.stringify(value)} to ${kind}`)
}

function compare(op: string, given: string | number | boolean, wanted: string | number | boolean): boolean {
  if (op === 'eq') return given === wanted
  if (op === 'noteq') return given !== wanted
  if (op === 'gt') return given > wanted
  if (op === 'gte') return given >= wanted
  if (op === 'lt') return given < wanted
  if (op === 'lte') return given <= wanted
  if (op === 'beginsWith') return String(given).startsWith(String(wanted))
  return op === 'endsWith' ? String(given).endsWith(String(wanted)) : String(given).includes(String(wanted))
}

function parseCondition(filter: Row, fields: Fields, kinds: (name: string) => Kind): Test {
  const { op, field, value } = filter
  const name = Object.keys(fields).find((one) => one.toLowerCase() === String(field).toLowerCase())
  if (name === undefined) throw new BadQuery(`Unable to find ${String(field)} in the entity`)
  const kind = kinds(name)
  if (op === 'exist' || op === 'notExist') return (row) => (row[name] == null) === (op === 'notExist')
  if (op === 'in' || op === 'notIn') {
    if (!Array.isArray(value) || value.length === 0 || value.length > MAX_ALTERNATIVES)
      throw new BadQuery('Queries are limited to 500 or fewer alternatives')
    const wanted = value.map((one) => comparable(kind, one))
    return (row) => row[name] != null && wanted.includes(comparable(kind, row[name])) === (op === 'in')
  }
  if (OF_TEXT.includes(String(op)) && kind !== 'text') throw new BadQuery(`${String(op)} of ${kind}`)
  const wanted = comparable(kind, value)
  // As in SQL, no comparison is true of a field without a value.
  return (row) => row[name] != null && compare(String(op), comparable(kind, row[name]), wanted)
}

function parseFilter(filter: unknown, fields: Fields): Test {
  if (!isRow(filter)) throw new BadQuery('a filter that is no object')
  const { op, items } = filter
  const known = op === 'and' || op === 'or' ? ['op', 'items'] : ['op', 'field', 'value']
  const unknown = Object.keys(filter).find((name) => !known.includes(name))
  if (unknown) throw new BadQuery(`${unknown} of a filter`)
  if (op === 'and' || op === 'or') {
    if (!Array.isArray(items) || items.length === 0 || items.length > MAX_ALTERNATIVES)
      throw new BadQuery('a group without items, or with too many')
    const tests = items.map((item) => parseFilter(item, fields))
    return (row) => (op === 'and' ? tests.every((test) => test(row)) : tests.some((test) => test(row)))
  }
  if (!OPERATORS.includes(String(op))) throw new BadQuery(`operator ${String(op)}`)
  return parseCondition(filter, fields, (name) => fields[name] as Kind)
}

/** A query of rows with these fields. */
export function parseQuery(body: unknown, fields: Fields) {
  if (!isRow(body)) throw new BadQuery('a query that is no object')
  const unknown = Object.keys(body).find((name) => !BODY.includes(name))
  if (unknown) throw new BadQuery(`${unknown} of a query`)
  const { filter, MaxRecords = MAX_RECORDS, IncludeFields } = body
  if (!Array.isArray(filter) || filter.length === 0) throw new BadQuery('a query without a filter')
  const most = Number(MaxRecords)
  if (!Number.isInteger(most) || most < 1 || most > MAX_RECORDS) throw new BadQuery('MaxRecords')
  const names = IncludeFields === undefined ? Object.keys(fields) : (IncludeFields as string[])
  const stranger = names.find((name) => !(name in fields))
  if (stranger) throw new BadQuery(`IncludeFields ${stranger}`)
  const tests = filter.map((one) => parseFilter(one, fields))
  return {
    most,
    matches: (row: Row) => tests.every((test) => test(row)),
    /** The id is always there (unverified). */
    shown: (row: Row): Row => Object.fromEntries(['id', ...names].map((name) => [name, row[name] ?? null])),
  }
}
