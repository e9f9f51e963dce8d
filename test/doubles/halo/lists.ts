/** How the double of HaloPSA filters and orders its lists. */
import { type DoubleRequest, Refusal, type Row } from '../vendor.ts'
import type { Parameters } from './documents.ts'
import { isClosed, type Store } from './store.ts'

export type Query = Readonly<Record<string, string>>

const ORDERS = ['id', 'last_update', 'dateoccurred', 'dateclosed']

const PATTERNS: Readonly<Record<Parameters[string], RegExp>> = {
  int: /^\d+$/,
  bool: /^(true|false)$/,
  text: /./,
  time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/,
}

/** The parameters, if they are of these alone and of their kinds. */
export function checkedQuery({ url }: DoubleRequest, parameters: Parameters): Query {
  for (const [name, value] of url.searchParams) {
    const kind = parameters[name]
    if (!kind || !PATTERNS[kind].test(value)) throw new Refusal(400, `parameter ${name}=${value}`)
  }
  return Object.fromEntries(url.searchParams)
}

/** As a database compares: text in any letter case, `_` and `%` as patterns. */
function isLike(value: unknown, wanted: string): boolean {
  if (wanted.includes('[')) throw new Refusal(400, `pattern ${wanted}`)
  const pattern = wanted
    .replace(/[.*+?^${}()|\\]/g, '\\$&')
    .replaceAll('_', '.')
    .replaceAll('%', '.*')
  return new RegExp(pattern, 'is').test(String(value ?? ''))
}

export function ordered(found: Row[], query: Query): Row[] {
  const orders = [
    [query.order, query.orderdesc],
    [query.order2, query.orderdesc2],
  ].filter(([field]) => field !== undefined)
  for (const [field = ''] of orders) if (!ORDERS.includes(field)) throw new Refusal(400, `order ${field}`)
  return found.toSorted((one, other) => {
    for (const [field = '', descending] of orders) {
      const [a, b] = [one[field] as string, other[field] as string]
      if (a !== b) return (a < b ? -1 : 1) * (descending === 'true' ? -1 : 1)
    }
    return 0
  })
}

const DAY_MS = 86_400_000
/** The rows of a list that no count is asked for. */
const COUNT = 50
/** Lists cut notes off. */
const NOTE_LENGTH = 100

/** Actions are those of a ticket, or of a day at most. */
function checkDays({ ticket_id, startdate, enddate }: Query): void {
  if (ticket_id) return
  if (!startdate || !enddate || Date.parse(enddate) - Date.parse(startdate) > DAY_MS)
    throw new Refusal(400, 'neither a ticket nor a day')
}

function inListOfActions({ note_html, ...row }: Row, query: Query): Row {
  const note = typeof row.note === 'string' ? row.note.slice(0, NOTE_LENGTH) : row.note
  return { ...row, note, ...(query.includehtmlnote === 'true' && { note_html }) }
}

interface Lists {
  /** The next lists of tickets that do not have the newest ticket yet. */
  late: { lists: number }
  /** Tickets that no list keeps. */
  generated: () => Iterable<Row>
}

export function filterOf(store: Store, lists: Lists) {
  /** Each is true of the rows that the parameter leaves. */
  const TICKETS: Readonly<Record<string, (row: Row, value: string, query: Query) => boolean>> = {
    client_id: ({ client_id }, value) => client_id === Number(value),
    user_id: ({ user_id }, value) => user_id === Number(value),
    agent_id: ({ agent_id }, value) => agent_id === Number(value),
    open_only: (row, value) => value === 'false' || !isClosed(row),
    closed_only: (row, value) => value === 'false' || isClosed(row),
    search_summary: ({ summary }, value) => isLike(summary, value),
    search: ({ id, summary }, value, { searchactions }) =>
      isLike(summary, value) ||
      (searchactions === 'true' &&
        store.of('/Actions').some((row) => row.ticket_id === id && isLike(row.note, value))),
    ticketids: ({ id }, value) => value.split(',').includes(String(id)),
    third_party_id_string: ({ third_party_id_string }, value) => third_party_id_string === value,
    // Whether it has the time itself is not documented.
    lastupdatefromdate: ({ last_update }, value) => String(last_update) > value,
    startdate: ({ dateclosed }, value) => String(dateclosed) >= value,
    enddate: ({ dateclosed }, value) => String(dateclosed) <= value,
  }

  function* ticketsOf(query: Query): Generator<Row> {
    if ((query.startdate || query.enddate) && query.datesearch !== 'datecleared')
      throw new Refusal(400, 'datesearch')
    const hidden = lists.late.lists > 0 ? store.of('/Tickets').at(-1) : undefined
    if (lists.late.lists > 0) lists.late.lists--
    const tests = Object.entries(query).flatMap(([name, value]) => {
      const test = TICKETS[name]
      return test ? [(row: Row) => test(row, value, query)] : []
    })
    for (const from of [store.of('/Tickets'), lists.generated()])
      for (const row of from) if (row !== hidden && tests.every((test) => test(row))) yield row
  }

  const isActive = (query: Query) => (row: Row) =>
    (query.includeinactive === 'true' || !row.inactive) && (query.includeactive !== 'false' || row.inactive)

  const contactTexts = (row: Row, query: Query): unknown[] =>
    query.search_phonenumbers === 'true' ? [row.phonenumber] : [row.name, row.emailaddress]

  return (path: string, query: Query): Row[] => {
    if (path === '/Tickets') return [...ticketsOf(query)]
    const all = store.of(path)
    if (path === '/Client') return all.filter(isActive(query))
    if (path === '/Site')
      return all
        .filter(isActive(query))
        .filter(({ client_id }) => !query.client_id || client_id === Number(query.client_id))
    if (path === '/Users')
      return all
        .filter(isActive(query))
        .filter(({ client_id }) => !query.client_id || client_id === Number(query.client_id))
        .filter((row) => contactTexts(row, query).some((text) => isLike(text, query.search ?? '')))
    if (path === '/Agent') return all.filter(({ id }) => id !== 1)
    if (path === '/Status')
      return all.filter(({ id }) => query.excludeclosed !== 'true' || !isClosed({ status_id: id }))
    if (path === '/ClientContract')
      return all.filter(({ client_id, inactive }) => client_id === Number(query.client_id) && !inactive)
    if (path === '/Actions') {
      checkDays(query)
      return all
        .filter(({ ticket_id }) => !query.ticket_id || ticket_id === Number(query.ticket_id))
        .filter(({ timetaken }) => query.timeentriesonly !== 'true' || Number(timetaken) > 0)
        .filter(({ datetime }) => !query.startdate || String(datetime) >= query.startdate)
        .filter(({ datetime }) => !query.enddate || String(datetime) <= query.enddate)
        .filter(({ is_system }) => query.excludesys !== 'true' || !is_system)
        .slice(0, Number(query.count ?? COUNT))
        .map((row) => inListOfActions(row, query))
    }
    if (path === '/Notification')
      return all.filter(({ webhook_id }) => !query.webhook_id || webhook_id === query.webhook_id)
    if (path === '/Attachment') return all.filter(({ ticket_id }) => ticket_id === Number(query.ticket_id))
    return all
  }
}
