/** An HTTP double of HaloPSA. It refuses whatever its documents do not have, and keeps a record of that. */
import {
  checkFields,
  type DoubleAnswer,
  type DoubleRequest,
  jsonOf,
  Refusal,
  type Row,
  startVendor,
} from '../vendor.ts'
import { DETAILS, LISTS, MEMBERS, type Parameters, POSTS, SINGLES } from './documents.ts'

export const SETTINGS = { tenant: 'acme', client_id: 'client-1', client_secret: 'secret-1' }

/** A double of a vendor answers no address but its own. */
const AUTH_PATH = '/auth'
const CLOSED = 9
const MAX_PAGE = 100
const NEVER = '1900-01-01T00:00:00'

interface HaloOptions {
  now: () => Date
  /** Seconds for which tokens are good. */
  token_seconds?: number
}

type Query = Readonly<Record<string, string>>

const dataset = (): Record<string, Row[]> => ({
  '/Client': [],
  '/Users': [],
  '/Agent': [{ id: 1, name: 'Unassigned' }],
  '/Status': [
    { id: CLOSED, name: 'Closed', type: 0, sequence: 9 },
    { id: 1, name: 'New', type: 0, sequence: 1 },
    { id: 2, name: 'In progress', type: 0, sequence: 2 },
    { id: 30, name: 'In stock', type: 1, sequence: 1 },
  ],
  '/Priority': [
    ...['P1', 'P2', 'P3'].map((name, at) => ({ id: `guid-${at}`, slaid: 1, priorityid: at + 1, name })),
    { id: 'guid-9', slaid: 2, priorityid: 1, name: 'Urgent' },
  ],
  '/Team': [
    { id: 1, name: 'Service desk' },
    { id: 2, name: 'Desk' },
  ],
  '/TicketType': [
    { id: 3, name: 'Service request' },
    { id: 4, name: 'Incident' },
  ],
  '/ClientContract': [],
  '/Tickets': [],
  '/Actions': [],
  '/Attachment': [],
  '/Webhook': [],
  '/Notification': [],
})

const ORDERS = ['id', 'last_update', 'dateoccurred', 'dateclosed']

const PATTERNS: Readonly<Record<Parameters[string], RegExp>> = {
  int: /^\d+$/,
  bool: /^(true|false)$/,
  text: /./,
  time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/,
}

function checkedQuery({ url }: DoubleRequest, parameters: Parameters): Query {
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

export async function startHalo({ now, token_seconds = 3600 }: HaloOptions) {
  const rows = dataset()
  const tokens = new Set<string>()
  let made = 100_000
  let issued = 0
  /** Makes tickets that no list of the double keeps. */
  let generated: () => Iterable<Row> = () => []
  /** The lists of tickets that do not have the newest tickets yet. */
  const late = { lists: 0 }

  const stamp = (date = now()): string => date.toISOString().slice(0, 23)
  const of = (path: string): Row[] => rows[path] ?? []
  const find = (path: string, id: unknown): Row => {
    const row = of(path).find((one) => one.id === id)
    if (!row) throw new Refusal(400, `${path} ${String(id)}`)
    return row
  }

  const isClosed = ({ status_id }: Row): boolean => status_id === CLOSED

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
        of('/Actions').some((row) => row.ticket_id === id && isLike(row.note, value))),
    third_party_id_string: ({ third_party_id_string }, value) => third_party_id_string === value,
    lastupdatefromdate: ({ last_update }, value) => String(last_update) >= value,
    startdate: ({ dateclosed }, value) => String(dateclosed) >= value,
    enddate: ({ dateclosed }, value) => String(dateclosed) <= value,
  }

  function* ticketsOf(query: Query): Generator<Row> {
    if ((query.startdate || query.enddate) && query.datesearch !== 'datecleared')
      throw new Refusal(400, 'datesearch')
    const hidden = late.lists > 0 ? of('/Tickets').at(-1) : undefined
    if (late.lists > 0) late.lists--
    const tests = Object.entries(query).flatMap(([name, value]) => {
      const test = TICKETS[name]
      return test ? [(row: Row) => test(row, value, query)] : []
    })
    for (const from of [of('/Tickets'), generated()])
      for (const row of from) if (row !== hidden && tests.every((test) => test(row))) yield row
  }

  const isActive = (query: Query) => (row: Row) =>
    (query.includeinactive === 'true' || !row.inactive) && (query.includeactive !== 'false' || row.inactive)

  const contactTexts = (row: Row, query: Query): unknown[] =>
    query.search_phonenumbers === 'true' ? [row.phonenumber] : [row.name, row.emailaddress]

  function filtered(path: string, query: Query): Row[] {
    if (path === '/Tickets') return [...ticketsOf(query)]
    const all = of(path)
    if (path === '/Client') return all.filter(isActive(query))
    if (path === '/Users')
      return all
        .filter(isActive(query))
        .filter(({ client_id }) => !query.client_id || client_id === Number(query.client_id))
        .filter((row) => contactTexts(row, query).some((text) => isLike(text, query.search ?? '')))
    if (path === '/Agent') return all.filter(({ id }) => id !== 1)
    if (path === '/Status') return all.filter(({ id }) => query.excludeclosed !== 'true' || id !== CLOSED)
    if (path === '/ClientContract')
      return all.filter(({ client_id, inactive }) => client_id === Number(query.client_id) && !inactive)
    if (path === '/Actions')
      return all
        .filter(({ ticket_id }) => !query.ticket_id || ticket_id === Number(query.ticket_id))
        .filter(({ timetaken }) => query.timeentriesonly !== 'true' || Number(timetaken) > 0)
        .filter(({ datetime }) => !query.startdate || String(datetime) >= query.startdate)
        .filter(({ is_system }) => query.excludesys !== 'true' || !is_system)
    if (path === '/Attachment') return all.filter(({ ticket_id }) => ticket_id === Number(query.ticket_id))
    return all
  }

  function ordered(found: Row[], query: Query): Row[] {
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

  const inList = (path: string, row: Row): Row =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !DETAILS[path]?.includes(name)))

  function list(path: string, request: DoubleRequest): DoubleAnswer {
    const query = checkedQuery(request, LISTS[path] as Parameters)
    const found = ordered(filtered(path, query), query)
    const member = MEMBERS[path]
    if (!member) return { status: 200, body: found.map((row) => inList(path, row)) }
    const size = Number(query.page_size ?? MAX_PAGE)
    if (query.pageinate !== 'true' && (query.page_size || query.page_no)) throw new Refusal(400, 'pageinate')
    if (size < 1 || size > MAX_PAGE) throw new Refusal(400, `page_size ${size}`)
    const from = (Number(query.page_no ?? 1) - 1) * size
    const page = query.pageinate === 'true' ? found.slice(from, from + size) : found
    const body = { record_count: found.length, [member]: page.map((row) => inList(path, row)) }
    // A list of nothing can have no list at all.
    return { status: 200, body: found.length === 0 ? { ...body, [member]: null } : body }
  }

  function single(path: string, id: number, request: DoubleRequest): DoubleAnswer {
    const query = checkedQuery(request, SINGLES[path] as Parameters)
    if (path === '/Actions' && !query.ticket_id) throw new Refusal(400, 'ticket_id')
    const row = of(path).find(
      (one) => one.id === id && (path !== '/Actions' || one.ticket_id === Number(query.ticket_id)),
    )
    if (!row) throw new Refusal(404, 'Not found', { is_expected: true })
    return { status: 200, body: query.includedetails === 'true' ? row : inList(path, row) }
  }

  function saveTicket({ id, ...fields }: Row): Row {
    for (const [field, path] of [
      ['client_id', '/Client'],
      ['user_id', '/Users'],
      ['agent_id', '/Agent'],
      ['status_id', '/Status'],
      ['tickettype_id', '/TicketType'],
      ['team_id', '/Team'],
    ] as const)
      if (fields[field] !== undefined) find(path, fields[field])
    const row = id === undefined ? newTicket(fields) : find('/Tickets', id)
    const was_closed = isClosed(row)
    Object.assign(row, fields, { last_update: stamp() })
    if (isClosed(row) !== was_closed) row.dateclosed = isClosed(row) ? stamp() : NEVER
    if (id === undefined) of('/Tickets').push(row)
    // The answer to a POST names it otherwise.
    const { last_update: lastupdate, ...rest } = row
    return { ...rest, lastupdate }
  }

  const newTicket = ({ client_id }: Row): Row => ({
    id: made++,
    status_id: 1,
    sla_id: 1,
    priority_id: 3,
    tickettype_id: 3,
    team: 'Service desk',
    agent_id: 1,
    user_id: Number(client_id) * 1000,
    dateoccurred: stamp(),
    dateclosed: NEVER,
  })

  function saveAction({ id, ...fields }: Row): Row {
    const ticket = find('/Tickets', fields.ticket_id)
    const own = of('/Actions').filter(({ ticket_id }) => ticket_id === ticket.id)
    if (fields.who_agentid !== undefined) find('/Agent', fields.who_agentid)
    if (fields.sendemail && !fields.emailto) throw new Refusal(400, 'emailto')
    const known = id === undefined ? undefined : own.find((one) => one.id === id)
    if (id !== undefined && !known) throw new Refusal(400, `action ${String(id)}`)
    const row: Row = known ?? {
      // Actions are counted within their ticket.
      id: own.length + 1,
      who: 'API agent',
      who_agentid: 5,
      actiondatecreated: stamp(),
      datetime: stamp(),
    }
    Object.assign(row, fields)
    if (fields.action_contract_id !== undefined)
      row.action_contract_ref = find('/ClientContract', fields.action_contract_id).ref
    if (!known) of('/Actions').push(row)
    ticket.last_update = stamp()
    return { id: row.id, ticket_id: row.ticket_id }
  }

  function save(path: string, request: DoubleRequest): DoubleAnswer {
    const post = POSTS[path]
    const items = jsonOf(request)
    if (!post || !Array.isArray(items) || items.length !== 1) throw new Refusal(400, 'not an array of one')
    const fields = checkFields(items[0], post.fields)
    for (const name of post.needs)
      if (!(name in fields) && !('id' in fields)) throw new Refusal(400, `no ${name}`)
    if (path === '/Tickets') return { status: 201, body: saveTicket(fields) }
    if (path === '/Actions') return { status: 201, body: [saveAction(fields)] }
    const row = { ...fields, id: path === '/Webhook' ? `guid-${made++}` : made++ }
    of(path).push(row)
    return { status: 201, body: row }
  }

  function remove(path: string, id: string): DoubleAnswer {
    if (path !== '/Webhook') throw new Refusal(404, path)
    rows['/Webhook'] = of('/Webhook').filter((row) => row.id !== id)
    rows['/Notification'] = of('/Notification').filter(({ webhook_id }) => webhook_id !== id)
    return { status: 200, body: {} }
  }

  function token({ method, url, headers, text }: DoubleRequest): DoubleAnswer {
    const form = Object.fromEntries(new URLSearchParams(text))
    if (method !== 'POST' || headers['content-type'] !== 'application/x-www-form-urlencoded')
      throw new Refusal(400, 'no form')
    const { client_id, client_secret } = SETTINGS
    if (form.grant_type !== 'client_credentials' || form.scope !== 'all')
      throw new Refusal(400, 'invalid_request')
    if (form.client_id !== client_id || form.client_secret !== client_secret)
      throw new Refusal(400, 'invalid_client', { is_expected: true })
    if (url.searchParams.get('tenant') !== SETTINGS.tenant)
      throw new Refusal(400, 'invalid tenant', { is_expected: true })
    const access_token = `token-${++issued}`
    tokens.add(access_token)
    return { status: 200, body: { access_token, token_type: 'Bearer', expires_in: token_seconds } }
  }

  function serve(request: DoubleRequest): DoubleAnswer {
    const { method, url, headers } = request
    if (url.pathname === '/api/authinfo')
      return { status: 200, body: { auth_url: `${vendor.url}${AUTH_PATH}`, tenant_id: SETTINGS.tenant } }
    if (url.pathname === `${AUTH_PATH}/token`) return token(request)
    if (!tokens.has(headers.authorization?.replace('Bearer ', '') ?? ''))
      throw new Refusal(401, 'Unauthorized', { is_expected: true })
    const path = /^\/api(\/.+)$/.exec(url.pathname)?.[1] ?? ''
    if (path === '/Agent/me' && method === 'GET') return { status: 200, body: { id: 5, name: 'API agent' } }
    const [, parent = '', id = ''] = /^(\/\w+)\/([\w-]+)$/.exec(path) ?? []
    if (method === 'GET' && LISTS[path]) return list(path, request)
    if (method === 'GET' && SINGLES[parent]) return single(parent, Number(id), request)
    if (method === 'POST' && LISTS[path]) return save(path, request)
    if (method === 'DELETE') return remove(parent, id)
    throw new Refusal(404, path)
  }

  const vendor = await startVendor({
    retry_after: null,
    errorBody: (_status, message) => ({ ClassName: 'Exception', Message: message }),
    serve,
  })

  return {
    ...vendor,
    stamp,
    rowsOf: of,
    late,
    /** Adds rows as they are. */
    add: (path: string, more: readonly Row[]): void => void of(path).push(...more),
    generate(tickets: () => Iterable<Row>): void {
      generated = tickets
    },
    /** Ends every token before its time. */
    expireTokens: (): void => tokens.clear(),
    issued: () => issued,
  }
}

export type Halo = Awaited<ReturnType<typeof startHalo>>
