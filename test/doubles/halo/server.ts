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
import { checkedQuery, filterOf, ordered } from './lists.ts'
import { createStore } from './store.ts'

export const SETTINGS = { tenant: 'acme', client_id: 'client-1', client_secret: 'secret-1' }

/** A double of a vendor answers no address but its own. */
const AUTH_PATH = '/auth'
const MAX_PAGE = 100

interface HaloOptions {
  now: () => Date
  /** Seconds for which tokens are good. */
  token_seconds?: number
  /** False: it does not tell the address of its authorisation server, which is then the one that all know. */
  tells_authorisation?: boolean
  /** The address of its authorisation server, if it tells of another one than its own. */
  auth_url?: string
}

export async function startHalo({
  now,
  token_seconds = 3600,
  tells_authorisation = true,
  auth_url,
}: HaloOptions) {
  const store = createStore(now)
  const tokens = new Set<string>()
  const lists = { late: { lists: 0 }, generated: (): Iterable<Row> => [] }
  const filtered = filterOf(store, lists)
  /** The most rows of a page, whatever is asked for; whether answers count the rows; whether there are pages at all. */
  const paging = { most_rows: MAX_PAGE, has_count: true, has_pages: true }
  let issued = 0
  let ignores_orders = false

  const nameOf = (path: string, id: unknown): unknown => store.of(path).find((one) => one.id === id)?.name

  /** The row as it is answered: a ticket has the names of its client and user. */
  const shown = (path: string, row: Row): Row =>
    path === '/Tickets'
      ? { client_name: nameOf('/Client', row.client_id), user_name: nameOf('/Users', row.user_id), ...row }
      : row

  const inList = (path: string, row: Row): Row =>
    Object.fromEntries(Object.entries(shown(path, row)).filter(([name]) => !DETAILS[path]?.includes(name)))

  function list(path: string, request: DoubleRequest): DoubleAnswer {
    const query = checkedQuery(request, LISTS[path] as Parameters)
    const rows = filtered(path, query)
    const found = ignores_orders ? rows : ordered(rows, query)
    const member = MEMBERS[path]
    if (!member) return { status: 200, body: found.map((row) => inList(path, row)) }
    const size = Number(query.page_size ?? MAX_PAGE)
    if (query.pageinate !== 'true' && (query.page_size || query.page_no)) throw new Refusal(400, 'pageinate')
    if (size < 1 || size > MAX_PAGE) throw new Refusal(400, `page_size ${size}`)
    const most = Math.min(size, paging.most_rows)
    const from = (Number(query.page_no ?? 1) - 1) * most
    const page = query.pageinate === 'true' && paging.has_pages ? found.slice(from, from + most) : found
    const counted = paging.has_count && { record_count: found.length }
    const body = { ...counted, [member]: page.map((row) => inList(path, row)) }
    // A list of nothing can have no list at all.
    return { status: 200, body: found.length === 0 ? { ...body, [member]: null } : body }
  }

  function single(path: string, id: number, request: DoubleRequest): DoubleAnswer {
    const query = checkedQuery(request, SINGLES[path] as Parameters)
    if (path === '/Actions' && !query.ticket_id) throw new Refusal(400, 'ticket_id')
    const row = store
      .of(path)
      .find((one) => one.id === id && (path !== '/Actions' || one.ticket_id === Number(query.ticket_id)))
    if (!row) throw new Refusal(404, 'Not found', { is_expected: true })
    return { status: 200, body: query.includedetails === 'true' ? shown(path, row) : inList(path, row) }
  }

  function save(path: string, request: DoubleRequest): DoubleAnswer {
    const post = POSTS[path]
    const items = jsonOf(request)
    if (!post || !Array.isArray(items) || items.length !== 1) throw new Refusal(400, 'not an array of one')
    const fields = checkFields(items[0], post.fields)
    for (const name of post.needs)
      if (!(name in fields) && !('id' in fields)) throw new Refusal(400, `no ${name}`)
    return { status: 201, body: store.save(path, fields) }
  }

  function remove(path: string, id: string): DoubleAnswer {
    if (path !== '/Webhook') throw new Refusal(404, path)
    store.removeWebhook(id)
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
    if (url.pathname === '/api/authinfo') {
      if (!tells_authorisation) throw new Refusal(404, 'Not found', { is_expected: true })
      return {
        status: 200,
        body: { auth_url: auth_url ?? `${vendor.url}${AUTH_PATH}`, tenant_id: SETTINGS.tenant },
      }
    }
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
    stamp: store.stamp,
    rowsOf: store.of,
    late: lists.late,
    paging,
    /** Adds rows as they are. */
    add: (path: string, more: readonly Row[]): void => void store.of(path).push(...more),
    generate(tickets: () => Iterable<Row>): void {
      lists.generated = tickets
    },
    /** What the system does with parameters that it does not know. */
    ignoreOrders(): void {
      ignores_orders = true
    },
    /** Ends every token before its time. */
    expireTokens: (): void => tokens.clear(),
    issued: () => issued,
  }
}

export type Halo = Awaited<ReturnType<typeof startHalo>>
