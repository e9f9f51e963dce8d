/** An HTTP double of NinjaOne. It refuses whatever its documents do not have, and keeps a record of that. */
import { type DoubleAnswer, type DoubleRequest, Refusal, type Row, startVendor } from '../vendor.ts'

export const SETTINGS = { client_id: 'client-1', client_secret: 'secret-1' }

/** Parameters by path; `{id}` is a number. Sources as in `src/connectors/ninjaone/api.ts`. */
const PATHS: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  '/organizations': { pageSize: /^[1-9]\d*$/, after: /^[1-9]\d*$/ },
  '/devices': { df: /./, pageSize: /^[1-9]\d*$/, after: /^[1-9]\d*$/ },
  '/devices-detailed': { df: /./, pageSize: /^[1-9]\d*$/, after: /^[1-9]\d*$/ },
  '/device/{id}': {},
  '/device/{id}/software': {},
  '/device/{id}/alerts': {},
  '/alerts': { df: /./ },
  '/activities': { class: /^DEVICE$/, seriesUid: /^[\da-f-]{36}$/i, pageSize: /^([1-9]\d{1,2}|1000)$/ },
  '/queries/os-patches': { df: /./, pageSize: /^[1-9]\d{0,4}$/, cursor: /^cursor-\d+$/ },
}

interface NinjaOneOptions {
  /** Seconds for which tokens are good. */
  token_seconds?: number
  /** False: alerts come without their device. */
  alerts_have_devices?: boolean
  /** The most rows of a page, whatever is asked for. */
  max_page?: number
}

type Query = Readonly<Record<string, string>>

export async function startNinjaOne({
  token_seconds = 3600,
  alerts_have_devices = true,
  max_page = 1000,
}: NinjaOneOptions = {}) {
  const rows = {
    organizations: [] as Row[],
    devices: [] as Row[],
    alerts: [] as Row[],
    activities: [] as Row[],
    patches: [] as Row[],
    /** By device. */
    software: new Map<number, Row[]>(),
  }
  const tokens = new Set<string>()
  const cursors = new Map<string, { offset: number; df: string }>()
  let issued = 0

  const organisationOf = (device_id: unknown): unknown =>
    rows.devices.find(({ id }) => id === device_id)?.organizationId

  /** The devices that the filter leaves: of a grammar with many fields, those that the adapter has a use for. */
  function filterOf(df: string | undefined): (device_id: unknown) => boolean {
    if (df === undefined) return () => true
    const [, field, list = ''] = /^(organization|id) in \((\d+(?:,\d+)*)\)$/.exec(df) ?? []
    if (!field) throw new Refusal(400, `df ${df}`)
    const ids = new Set(list.split(',').map(Number))
    return (device_id) => ids.has(Number(field === 'id' ? device_id : organisationOf(device_id)))
  }

  function paged(found: readonly Row[], { pageSize = '1000', after = '0' }: Query): Row[] {
    const later = found.filter(({ id }) => Number(id) > Number(after))
    return later
      .toSorted((one, other) => Number(one.id) - Number(other.id))
      .slice(0, Math.min(Number(pageSize), max_page))
  }

  function report({ df = '', pageSize = '1000', cursor }: Query): Row {
    const known = cursor ? cursors.get(cursor) : { offset: 0, df }
    if (known?.df !== df) throw new Refusal(400, `cursor ${cursor}`)
    const name = cursor ?? `cursor-${cursors.size + 1}`
    const found = rows.patches.filter(({ deviceId }) => filterOf(df)(deviceId))
    const count = Math.min(Number(pageSize), max_page)
    const results = found.slice(known.offset, known.offset + count)
    cursors.set(name, { offset: known.offset + results.length, df })
    return { cursor: { name, offset: known.offset, count: results.length, expires: 0 }, results }
  }

  function deviceOf(id: number): Row {
    const device = rows.devices.find((one) => one.id === id)
    if (!device) throw new Refusal(404, 'Not found', { is_expected: true })
    return device
  }

  const alertOf = (row: Row): Row =>
    alerts_have_devices
      ? { ...row, device: { id: row.deviceId, organizationId: organisationOf(row.deviceId) } }
      : row

  function answerTo(path: string, id: number, query: Query): unknown {
    const is_in = filterOf(query.df)
    if (path === '/organizations') return paged(rows.organizations, query)
    if (path === '/devices-detailed' || path === '/devices')
      return paged(
        rows.devices.filter((row) => is_in(row.id)),
        query,
      )
    if (path === '/alerts') return rows.alerts.filter(({ deviceId }) => is_in(deviceId)).map(alertOf)
    if (path === '/queries/os-patches') return report(query)
    if (path === '/activities') {
      const activities = rows.activities
        .filter(({ seriesUid }) => seriesUid === query.seriesUid)
        .toSorted((one, other) => Number(other.activityTime) - Number(one.activityTime))
      return { lastActivityId: 1, activities }
    }
    const device = deviceOf(id)
    if (path === '/device/{id}') return device
    if (path === '/device/{id}/software') return rows.software.get(id) ?? []
    return rows.alerts.filter(({ deviceId }) => deviceId === id)
  }

  function token({ method, headers, text }: DoubleRequest): DoubleAnswer {
    const form = Object.fromEntries(new URLSearchParams(text))
    if (method !== 'POST' || headers['content-type'] !== 'application/x-www-form-urlencoded')
      throw new Refusal(400, 'no form')
    const { client_id, client_secret, grant_type, scope, ...others } = form
    if (grant_type !== 'client_credentials' || scope !== 'monitoring' || Object.keys(others).length > 0)
      throw new Refusal(400, 'invalid_request')
    if (client_id !== SETTINGS.client_id || client_secret !== SETTINGS.client_secret)
      throw new Refusal(401, 'invalid_client', { is_expected: true })
    const access_token = `token-${++issued}`
    tokens.add(access_token)
    return { status: 200, body: { access_token, token_type: 'Bearer', expires_in: token_seconds, scope } }
  }

  function serve(request: DoubleRequest): DoubleAnswer {
    const { method, url, headers } = request
    if (headers.accept !== 'application/json') throw new Refusal(406, 'accept')
    if (url.pathname === '/ws/oauth/token') return token(request)
    if (!tokens.has(headers.authorization?.replace('Bearer ', '') ?? ''))
      throw new Refusal(401, 'Unauthorized', { is_expected: true })
    const path = url.pathname.replace(/^\/v2/, '').replace(/^\/device\/\d+/, '/device/{id}')
    const parameters = url.pathname.startsWith('/v2/') ? PATHS[path] : undefined
    if (!parameters || method !== 'GET') throw new Refusal(404, `${method} ${url.pathname}`)
    for (const [name, value] of url.searchParams)
      if (!parameters[name]?.test(value)) throw new Refusal(400, `parameter ${name}=${value}`)
    const id = Number(/^\/v2\/device\/(\d+)/.exec(url.pathname)?.[1])
    return { status: 200, body: answerTo(path, id, Object.fromEntries(url.searchParams)) }
  }

  const vendor = await startVendor({
    retry_after: null,
    errorBody: (_status, errorMessage) => ({ resultCode: 'FAILURE', errorMessage }),
    serve,
  })

  return {
    ...vendor,
    rows,
    /** Ends every token before its time. */
    expireTokens: (): void => tokens.clear(),
    issued: () => issued,
  }
}
