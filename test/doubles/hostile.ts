/** Answers of a system that wants to do harm, or that is another one than it says. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hostility, Row } from './vendor.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

const body =
  (value: string, headers: Readonly<Record<string, string>> = {}): Hostility =>
  (response) =>
    response.writeHead(200, { ...JSON_TYPE, ...headers }).end(value)

/** The answer with other values in it. */
const changed =
  (change: (value: unknown, name: string) => unknown): Hostility =>
  (response, { status, body: own, headers }) => {
    const walked = (value: unknown, name: string): unknown => {
      if (Array.isArray(value)) return value.map((one) => walked(one, name))
      if (typeof value !== 'object' || value === null) return change(value, name)
      return Object.fromEntries(Object.entries(value).map(([of, one]) => [of, walked(one, of)]))
    }
    response.writeHead(status, { ...JSON_TYPE, ...headers }).end(JSON.stringify(walked(own, '') ?? null))
  }

const isId = (name: string): boolean => /id$/i.test(name)

/** A row that any list may have. */
const ANY_ROW: Row = {
  id: 1,
  name: 'A',
  ticket_id: 1,
  priorityid: 1,
  deviceId: 1,
  uid: '00000000-0000-4000-8000-000000000001',
}

const isList = (value: unknown): value is Row[] => Array.isArray(value)

/** A list of so many rows that are always new and have these fields too, of which each page has a next one. */
export function endless(size: number, fields: Row = {}): Hostility {
  let row_id = 1_000_000
  const page = (rows: readonly Row[]): Row[] =>
    Array.from({ length: size }, () => ({ ...(rows[0] ?? ANY_ROW), ...fields, id: row_id++ }))
  const more = (own: unknown): unknown => {
    if (isList(own)) return page(own)
    if (typeof own !== 'object' || own === null) return own
    const members = Object.entries(own).map(([name, value]) => [name, isList(value) ? page(value) : value])
    return {
      ...Object.fromEntries(members),
      ...('record_count' in own && { record_count: 1_000_000_000 }),
      ...('pageDetails' in own && { pageDetails: { nextPageUrl: 'https://psa.example/next' } }),
      ...('cursor' in own && { cursor: { name: 'next' } }),
    }
  }
  return (response, { body: own }) => {
    const link = `<http://psa.example/?pageId=${row_id}>; rel="next"`
    response.writeHead(200, { ...JSON_TYPE, link }).end(JSON.stringify(more(own) ?? null))
  }
}

/** Rows without an end, in one answer. */
const boundless: Hostility = async (response) => {
  response.writeHead(200, JSON_TYPE).write('[')
  const rows = '{"id":1},'.repeat(5000)
  while (!response.destroyed) {
    if (response.write(rows)) await sleep(1)
    else await Promise.race([new Promise((done) => response.once('drain', done)), sleep(50)])
  }
}

const dripping: Hostility = async (response) => {
  response.writeHead(200, JSON_TYPE).write('[')
  while (!response.destroyed) {
    response.write(' ')
    await sleep(20)
  }
}

const times = (text: string, count: number): string => text.repeat(count)

/** Answers that are none of the system's: whoever takes one for its own says what is not so. */
export const FOREIGN: Readonly<Record<string, () => Hostility>> = {
  'another object': () => body('{"a":1}'),
  'a list of others': () => body('[1,"x",null,{"a":1}]'),
  null: () => body('null'),
  'a text': () => body('"x"'),
  'a page': () => body('<!doctype html><p>hello</p>', { 'content-type': 'text/html' }),
  'a deep list': () => body(times('[', 300_000)),
  'a deep object': () => body(times('{"a":', 100_000)),
  'many small rows': () => body(`[${times('{},', 60_000)}{}]`),
  'one long text': () => body(`"${times('x', 1_200_000)}"`),
  'rows without an end': () => boundless,
  'a drop at a time': () => dripping,
  'no answer': () => () => {},
  'other kinds of values': () =>
    changed((value) => (typeof value === 'string' ? 7 : typeof value === 'number' ? 'x' : 'y')),
}

/** The answer with other members: of objects, and of lists, by their place in it. `undefined` leaves a member out. */
const reshaped =
  (change: (value: unknown, name: string) => unknown): Hostility =>
  (response, { status, body: own, headers }) => {
    const walked = (value: unknown, name: string): unknown => {
      const other = change(value, name)
      if (other !== value) return other
      if (Array.isArray(value)) return value.map((one) => walked(one, 'item') ?? null)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(Object.entries(value).map(([of, one]) => [of, walked(one, of)]))
    }
    response
      .writeHead(status, { ...JSON_TYPE, ...headers })
      .end(JSON.stringify(walked(own, 'answer') ?? null))
  }

/** Values that may stand anywhere in an answer. */
const ANY_VALUES: readonly unknown[] = [undefined, null, 'x', '', -1, 0, 1.5, 2 ** 53, true, {}, []]

/** One of so many members of the answers is another value. Each seed plays the same. */
export function strange(seed: number, of: number): Hostility {
  let state = seed
  const random = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  return reshaped((value, name) =>
    name !== 'answer' && random(of) === 0 ? ANY_VALUES[random(ANY_VALUES.length)] : value,
  )
}

const isReference = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Rows whose ids, or whose references, are not what they should be. */
export const WRONG_ROWS: Readonly<Record<string, () => Hostility>> = {
  'rows without ids': () => reshaped((value, name) => (isId(name) ? undefined : value)),
  'rows with ids that are null': () => reshaped((value, name) => (isId(name) ? null : value)),
  'rows with ids that are texts': () => reshaped((value, name) => (isId(name) ? 'x' : value)),
  'rows with ids that are objects': () => reshaped((value, name) => (isId(name) ? { id: 1 } : value)),
  'rows with ids that are fractions': () => reshaped((value, name) => (isId(name) ? 1.5 : value)),
  'rows without references': () =>
    reshaped((value, name) => (isReference(value) && !['answer', 'item'].includes(name) ? undefined : value)),
  'rows with nothing but ids': () =>
    reshaped((value, name) =>
      typeof value === 'object' || name === 'id' || name === 'answer' ? value : undefined,
    ),
  'rows without ids of others': () =>
    reshaped((value, name) => (isId(name) && name.toLowerCase() !== 'id' ? undefined : value)),
  'rows that are null': () => reshaped((value, name) => (name === 'item' ? null : value)),
  'empty rows': () => reshaped((value, name) => (name === 'item' ? {} : value)),
}

const LONE = '\ud800'

/** Answers of the system, in which something is wrong. */
export const WRONG: Readonly<Record<string, () => Hostility>> = {
  'pages that are always new': () => endless(500),
  'large pages that are always new': () => endless(6000, { more: times('x', 2000) }),
  'texts that no database keeps': () =>
    changed((value, name) =>
      typeof value === 'string' && !isId(name) ? `A\0${LONE}${times('\u{1f642}', 30_000)}` : value,
    ),
  'times that no database keeps': () =>
    changed((value) =>
      typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) ? '+275000-01-01T00:00:00Z' : value,
    ),
  'numbers that no database keeps': () => changed((value) => (typeof value === 'number' ? 2 ** 53 : value)),
  'negative numbers': () => changed((value) => (typeof value === 'number' ? -1 : value)),
  'nothing in every field': () => changed((value, name) => (isId(name) ? value : null)),
}
