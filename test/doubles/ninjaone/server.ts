/** An HTTP double of NinjaOne. It refuses whatever its documents do not have, and keeps a record of that. */
import { type DoubleAnswer, type DoubleRequest, Refusal, type Row, startVendor } from '../vendor.ts'
import { createRuns, type RunOptions } from './runs.ts'
import { createSignIn, type SignInOptions } from './sign-in.ts'

export { REFRESH_TOKEN, SETTINGS } from './sign-in.ts'

const UID = /^[\da-f-]{36}$/i
const ACTIVITIES = /^([1-9]\d{1,2}|1000)$/

/** Parameters by path; `{id}` is a number. Sources as in `src/connectors/ninjaone/api.ts`. */
const PATHS: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  '/organizations': { pageSize: /^[1-9]\d*$/, after: /^[1-9]\d*$/ },
  '/devices': { df: /./, pageSize: /^[1-9]\d*$/, after: /^[1-9]\d*$/ },
  '/devices-detailed': { df: /./, pageSize: /^[1-9]\d*$/, after: /^[1-9]\d*$/ },
  '/device/{id}': {},
  '/device/{id}/software': {},
  '/device/{id}/alerts': {},
  '/device/{id}/activities': { pageSize: ACTIVITIES, olderThan: /^\d+$/, seriesUid: UID },
  '/device/{id}/jobs': {},
  '/automation/scripts': {},
  '/alerts': { df: /./ },
  '/activities': { class: /^DEVICE$/, seriesUid: UID, pageSize: ACTIVITIES },
  '/queries/os-patches': { df: /./, pageSize: /^[1-9]\d{0,4}$/, cursor: /^cursor-\d+$/ },
}

const START = '/device/{id}/script/run'

/** The refusal of a start in nobody's name, as [IS] has it. Unverified: its status. */
const NEEDS_USER = {
  error: 'user_context_required',
  error_description: 'Access key does not have user context which is required for this request',
  error_code: 5,
}

interface NinjaOneOptions extends SignInOptions, RunOptions {
  /** False: alerts come without their device. */
  alerts_have_devices?: boolean
  /** The most rows of a page, whatever is asked for. */
  max_page?: number
}

type Query = Readonly<Record<string, string>>

export async function startNinjaOne({
  alerts_have_devices = true,
  max_page = 1000,
  run_ms,
  ...sign_in_options
}: NinjaOneOptions = {}) {
  const rows = {
    organizations: [] as Row[],
    devices: [] as Row[],
    alerts: [] as Row[],
    activities: [] as Row[],
    patches: [] as Row[],
    scripts: [] as Row[],
    /** By device. */
    software: new Map<number, Row[]>(),
  }
  const cursors = new Map<string, { offset: number; df: string }>()
  const sign_in = createSignIn(sign_in_options)
  const runs = createRuns(rows, run_ms === undefined ? {} : { run_ms })

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
    if (path === '/automation/scripts') return rows.scripts
    if (path === '/activities') {
      const activities = rows.activities
        .filter(({ seriesUid }) => seriesUid === query.seriesUid)
        .toSorted((one, other) => Number(other.activityTime) - Number(one.activityTime))
      return { lastActivityId: 1, activities }
    }
    const device = deviceOf(id)
    if (path === '/device/{id}') return device
    if (path === '/device/{id}/activities') return runs.activitiesOf(id, query)
    if (path === '/device/{id}/jobs') return runs.jobsOf(id)
    if (path === '/device/{id}/software') return rows.software.get(id) ?? []
    return rows.alerts.filter(({ deviceId }) => deviceId === id)
  }

  async function serve(request: DoubleRequest): Promise<DoubleAnswer> {
    const { method, url, headers } = request
    if (headers.accept !== 'application/json') throw new Refusal(406, 'accept')
    if (url.pathname === '/ws/oauth/token') return await sign_in.token(request)
    const caller = sign_in.callerOf(headers.authorization)
    const path = url.pathname.replace(/^\/v2/, '').replace(/^\/device\/\d+/, '/device/{id}')
    const id = Number(/^\/v2\/device\/(\d+)/.exec(url.pathname)?.[1])
    if (method === 'POST' && path === START && url.search === '') {
      if (caller === 'CLIENT') return { status: 403, body: NEEDS_USER }
      deviceOf(id)
      runs.start(id, request)
      return { status: 204, body: undefined }
    }
    const parameters = url.pathname.startsWith('/v2/') ? PATHS[path] : undefined
    if (!parameters || method !== 'GET') throw new Refusal(404, `${method} ${url.pathname}`)
    for (const [name, value] of url.searchParams)
      if (!parameters[name]?.test(value)) throw new Refusal(400, `parameter ${name}=${value}`)
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
    runs,
    ...sign_in,
  }
}
