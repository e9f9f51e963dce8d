/**
 * An HTTP double of ConnectWise PSA, written from its published documents (the sources are named in
 * `src/connectors/connectwise/api.ts`). It refuses whatever it does not know, and keeps a record of that.
 */
import { createHash, createHmac } from 'node:crypto'
import {
  checkField,
  checkFields,
  type DoubleAnswer,
  type DoubleRequest,
  type Fields,
  jsonOf,
  Refusal,
  type Row,
  startVendor,
} from '../vendor.ts'
import { parseConditions } from './conditions.ts'
import { type Collection, dataset, NEW_NOTE } from './dataset.ts'
import { cutterOf, NOTE, orderOf } from './rows.ts'

export const SETTINGS = {
  company: 'acme',
  client_id: 'client-1',
  public_key: 'public1',
  private_key: 'private1',
}

const KEY_PATH = '/v4_6_release/webhooks/key'
const FIRST_SIGNING_KEY = 'signing-key-1'

const reference = (row: Row): Row => ({ id: row.id, name: row.name ?? row.summary })

function checkParameters(url: URL, known: readonly string[]): void {
  for (const name of url.searchParams.keys())
    if (!known.includes(name)) throw new Refusal(400, `parameter ${name}`)
}

interface DoubleOptions {
  now: () => Date
  /** It answers wrong credentials with 404, as the cloud does. */
  cloud?: boolean
  /** The credentials that it accepts. */
  settings?: typeof SETTINGS
}

export async function startConnectwise({ now, cloud = false, settings = SETTINGS }: DoubleOptions) {
  const collections = dataset()
  let made = 100_000
  let signing_key = FIRST_SIGNING_KEY

  const stamp = (date = now()): string => `${date.toISOString().slice(0, 19)}Z`
  const rowsOf = (path: string): Row[] => collections[path]?.rows ?? []
  const find = (path: string, id: unknown): Row => {
    const row = rowsOf(path).find((one) => one.id === id)
    if (!row) throw new Refusal(400, `${path} ${String(id)}`)
    return row
  }
  const touch = (row: Row): void => {
    row._info = { ...(row._info as Row), lastUpdated: stamp() }
  }
  const notesOf = (id: number): string => `/service/tickets/${id}/notes`

  const REFERENCES: Record<string, string> = {
    company: '/company/companies',
    contact: '/company/contacts',
    board: '/service/boards',
    priority: '/service/priorities',
    owner: '/system/members',
    member: '/system/members',
    agreement: '/finance/agreements',
  }

  /** Sets fields, references with their names; a status has to be of the board. */
  function assign(row: Row, fields: Row): void {
    for (const [name, value] of Object.entries(fields)) {
      const board = (row.board as Row | undefined)?.id
      const from =
        name === 'status'
          ? `/service/boards/${String(board)}/statuses`
          : name === 'type'
            ? `/service/boards/${String(board)}/types`
            : name === 'subType'
              ? `/service/boards/${String(board)}/subtypes`
              : REFERENCES[name]
      row[name] = from ? reference(find(from, (value as Row).id)) : value
      if (name !== 'status') continue
      const { closedStatus } = find(from as string, (value as Row).id)
      row.closedDate = closedStatus ? (row.closedDate ?? stamp()) : undefined
      row.closedFlag = closedStatus
    }
    touch(row)
  }

  function addTicket(fields: Row): Row {
    const { initialDescription, ...rest } = fields
    if (String(rest.summary).length > 100) throw new Refusal(400, 'summary')
    if (String(rest.externalXRef ?? '').length > 100) throw new Refusal(400, 'externalXRef')
    const row: Row = { id: made++, closedFlag: false, _info: { dateEntered: stamp(), lastUpdated: stamp() } }
    const { board = { id: 1 }, ...others } = rest
    assign(row, { board })
    const statuses = rowsOf(`/service/boards/${String((row.board as Row).id)}/statuses`)
    assign(row, { status: statuses[0], ...others })
    rowsOf('/service/tickets').push(row)
    if (initialDescription) addNote(row, { text: initialDescription, detailDescriptionFlag: true })
    return row
  }

  function addNote(ticket: Row, fields: Row): Row {
    const path = notesOf(ticket.id as number)
    collections[path] ??= { rows: [], form: NOTE }
    const { processNotifications: _sent, ...note } = fields
    const row = { id: made++, ticketId: ticket.id, createdBy: 'API', dateCreated: stamp(), ...note }
    rowsOf(path).push(row)
    touch(ticket)
    return row
  }

  function addTimeEntry(fields: Row): Row {
    const ticket = find('/service/tickets', fields.chargeToId)
    const { timeStart, timeEnd } = fields
    const hours = (new Date(String(timeEnd)).getTime() - new Date(String(timeStart)).getTime()) / 3_600_000
    const row: Row = {
      id: made++,
      company: ticket.company,
      actualHours: Math.round(hours * 100) / 100,
      _info: { dateEntered: stamp(), lastUpdated: stamp() },
    }
    assign(row, fields)
    touch(ticket)
    rowsOf('/time/entries').push(row)
    return row
  }

  function merge(parent: Row, body: Row): Row {
    const { mergeTicketIds, status } = checkFields(body, { mergeTicketIds: 'numbers', status: 'reference' })
    for (const id of mergeTicketIds as number[]) {
      const row = find('/service/tickets', id)
      assign(row, { status })
      row.mergedParentTicket = reference(parent)
    }
    touch(parent)
    return parent
  }

  const QUERY = ['conditions', 'childConditions', 'orderBy', 'fields', 'page', 'pageSize', 'pageId']

  function list(path: string, { url, headers }: DoubleRequest): DoubleAnswer {
    const collection = collections[path] as Collection
    const own = path === '/system/documents' ? ['recordType', 'recordId'] : []
    checkParameters(url, [...QUERY, ...own])
    let rows = [...collection.rows]
    for (const name of ['conditions', 'childConditions'] as const) {
      const text = url.searchParams.get(name)
      if (text === null) continue
      if (text.length > 1500) throw new Refusal(400, 'address too long')
      rows = rows.filter(parseConditions(text, collection.form, collection[name] ?? []))
    }
    const cut = cutterOf(url.searchParams.get('fields'), collection.form)
    const size = Number(url.searchParams.get('pageSize') ?? 25)
    if (!(size >= 1 && size <= 1000)) throw new Refusal(400, 'pageSize')
    if (headers['pagination-type'] === 'forward-only') {
      if (url.searchParams.has('orderBy')) throw new Refusal(400, 'orderBy')
      const after = Number(url.searchParams.get('pageId') ?? 0)
      rows.sort((one, other) => (one.id as number) - (other.id as number))
      rows = rows.filter(({ id }) => (id as number) > after)
      const found = rows.slice(0, size)
      const answer = { status: 200, body: found.map(cut) }
      if (found.length === 0) return answer
      // A page names a next one, even if there is nothing on it.
      const next = new URL(url)
      next.searchParams.set('pageId', String(found.at(-1)?.id))
      return { ...answer, headers: { link: `<${next.href}>; rel="next"` } }
    }
    rows.sort(orderOf(url.searchParams.get('orderBy') ?? 'id asc', collection.form))
    const page = Number(url.searchParams.get('page') ?? 1)
    return { status: 200, body: rows.slice((page - 1) * size, page * size).map(cut) }
  }

  function patch(row: Row, body: unknown, fields: Fields): Row {
    if (!Array.isArray(body)) throw new Refusal(400, 'not an array')
    const changes: Row = {}
    for (const { op, path, value } of body as Row[]) {
      const name = String(path)
      if (op === 'remove' && name in fields) row[name] = undefined
      else if (op !== 'replace' && op !== 'add') throw new Refusal(400, `op ${String(op)}`)
      else {
        checkField(name, value, fields[name])
        changes[name] = value
      }
    }
    assign(row, changes)
    return row
  }

  function answer(request: DoubleRequest, path: string): DoubleAnswer {
    const { method, url } = request
    if (method !== 'GET' || path === '/system/info') checkParameters(url, [])
    const body = jsonOf(request)
    const done = (row: unknown): DoubleAnswer => ({ status: method === 'POST' ? 201 : 200, body: row })
    if (path === '/system/info' && method === 'GET') return done({ version: 'v2025.1', isCloud: true })
    const note = /^\/service\/tickets\/(\d+)\/notes$/.exec(path)
    if (note) {
      const ticket = rowsOf('/service/tickets').find(({ id }) => id === Number(note[1]))
      if (!ticket) throw new Refusal(404, 'ticket')
      if (method === 'POST') return done(addNote(ticket, checkFields(body, NEW_NOTE)))
      collections[path] ??= { rows: [], form: NOTE }
    }
    const merging = /^\/service\/tickets\/(\d+)\/merge$/.exec(path)
    if (merging && method === 'POST')
      return done(merge(find('/service/tickets', Number(merging[1])), body as Row))
    const collection = collections[path]
    if (collection && method === 'GET') return list(path, request)
    if (collection?.post && method === 'POST') {
      const fields = checkFields(body, collection.post)
      for (const name of collection.needs ?? []) if (!(name in fields)) throw new Refusal(400, `no ${name}`)
      if (path === '/system/callbacks') {
        const row = { id: made++, ...fields }
        collection.rows.push(row)
        return done(row)
      }
      return done(path === '/service/tickets' ? addTicket(fields) : addTimeEntry(fields))
    }
    const [, parent = '', id] = /^(.+)\/(\d+)$/.exec(path) ?? []
    const of = collections[parent]
    const row = of?.rows.find((one) => one.id === Number(id))
    if (of && method === 'GET') {
      checkParameters(url, ['fields'])
      const cut = cutterOf(url.searchParams.get('fields'), of.form)
      if (!row) throw new Refusal(404, 'NotFound', { is_expected: true })
      return done(cut(row))
    }
    if (of && row && parent === '/system/callbacks' && method === 'DELETE') {
      of.rows.splice(of.rows.indexOf(row), 1)
      return { status: 204, body: undefined }
    }
    if (of?.patch && row && method === 'PATCH') return done(patch(row, body, of.patch))
    throw new Refusal(404, 'ConnectWiseApi')
  }

  const { company, client_id, public_key, private_key } = settings
  const basic = `Basic ${Buffer.from(`${company}+${public_key}:${private_key}`).toString('base64')}`
  const base = '/v4_6_release/apis/3.0'

  const vendor = await startVendor({
    retry_after: '30',
    errorBody: (_status, message) => ({ code: 'Refused', message, errors: null }),
    serve(request) {
      const { url, headers } = request
      // Keys are given to anybody who asks; the path is unverified.
      if (url.pathname === KEY_PATH) return { status: 200, body: { signing_key } }
      if (headers.authorization !== basic || headers.clientid !== client_id)
        throw new Refusal(cloud ? 404 : 401, 'Unauthorized', { is_expected: true })
      if (!url.pathname.startsWith(base)) throw new Refusal(404, 'ConnectWiseApi')
      return answer(request, url.pathname.slice(base.length))
    },
  })

  return {
    ...vendor,
    rowsOf,
    addNote,
    /** A callback as the PSA sends it, with its signature. */
    callback(fields: Row, key_url = `${vendor.url}${KEY_PATH}`) {
      const raw = Buffer.from(JSON.stringify({ ...fields, Metadata: { key_url } }))
      const key = createHash('sha256').update(signing_key).digest()
      const signature = createHmac('sha256', key).update(raw).digest('base64')
      return { raw, headers: { 'x-content-signature': signature } }
    },
    changeSigningKey(key: string): void {
      signing_key = key
    },
    /** Adds rows as they are. */
    add(path: string, rows: readonly Row[]): void {
      collections[path]?.rows.push(...rows)
    },
  }
}

export type Connectwise = Awaited<ReturnType<typeof startConnectwise>>
