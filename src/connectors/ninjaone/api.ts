/**
 * Requests to NinjaOne. Sources: [OA] the vendor's OpenAPI document, Public API 2.0.9-draft (homotechsual/NinjaOne,
 * ninjaOne-API-core-resources.yaml), [PS] the client of the same repository, [DF] a guide to the API with the vendor's
 * grammar of device filters (the agent skill `ninjaone-api`), tried with a live system, [RZ] an import into runZero
 * (ninjaone-tags), made by the vendor's documents.
 */
import type { OpenedConnection } from '../adapter.ts'
import type { VendorAnswer, VendorClient } from '../http/client.ts'
import { authorisedBy, nameOf, tokenIn } from '../http/client-credentials.ts'
import { VendorFailure } from '../http/failure.ts'
import type { IssuedToken, Tokens } from '../http/tokens.ts'

type Query = Readonly<Record<string, string | number>>

/** Rows of a page. No maximum is documented [OA]; others ask for as many [RZ]. */
const PAGE = 500

/** Rows of a page of a report, of which 10,000 are the most. [OA] */
const REPORT_PAGE = 1000

/** Reports are asked for so many devices at once. [RZ] */
const DEVICES_OF_A_REPORT = 100

/** 429 may have no `Retry-After` [DF]; the limit is unpublished. */
const BUSY_SECONDS = 30

interface ReportPage<Row> {
  results?: readonly Row[] | null
  cursor?: { name?: string | null } | null
}

/** The filter that leaves the devices whose field is one of these numbers. [DF] */
export const deviceFilter = (field: 'organization' | 'id', ids: readonly number[]): string =>
  `${field} in (${ids.join(',')})`

export function apiOf(client: VendorClient, connection: OpenedConnection<'NINJAONE'>, tokens: Tokens) {
  const { site, client_id, client_secret } = connection.settings
  const system = 'NINJAONE'
  const vendor = client.site({ ...connection, system }, site, {
    isRefusal: (status) => status === 401,
    busy_seconds: BUSY_SECONDS,
  })

  /** Client credentials; reads need the scope `monitoring` alone. [PS, RZ] */
  async function issue(): Promise<IssuedToken> {
    const form = { grant_type: 'client_credentials', client_id, client_secret, scope: 'monitoring' }
    // Nothing is changed by it: it can be repeated.
    return tokenIn(system, await vendor.readBy({ method: 'POST', path: '/ws/oauth/token', form }))
  }

  const authorised = authorisedBy({ system, tokens, name: nameOf(connection), issue })

  const read = (path: string, query: Query): Promise<VendorAnswer> =>
    authorised((headers) => vendor.read({ path: `/v2${path}`, query, headers }))

  /** null: there is no such thing. */
  async function get<Body>(path: string, query: Query = {}): Promise<Body | null> {
    const answer = await read(path, query)
    if (answer.status === 404) return null
    if (!answer.is_ok) throw new VendorFailure(`${system} refused the request (${answer.status})`)
    return answer.body as Body
  }

  /** The rows of a list, which is a bare array. [OA] */
  async function list<Row>(path: string, query: Query = {}): Promise<Row[]> {
    const body = await get<Row[]>(path, query)
    if (!Array.isArray(body)) throw new VendorFailure(`${system} answered without a list`)
    return body
  }

  /** The page of rows with greater ids than this one. [OA] */
  const page = <Row extends { id: number }>(path: string, query: Query, after: number): Promise<Row[]> =>
    list<Row>(path, { ...query, pageSize: PAGE, ...(after > 0 && { after }) })

  return {
    get,
    list,
    page,
    /** The rows of all pages. A page that is short is not the last one for certain: an empty one is. [RZ] */
    async all<Row extends { id: number }>(path: string, query: Query = {}): Promise<Row[]> {
      const all: Row[] = []
      for (let after = 0; ; ) {
        const rows = await page<Row>(path, query, after)
        const last = Math.max(after, ...rows.map(({ id }) => id))
        if (last === after) return all
        all.push(...rows)
        after = last
      }
    },
    /** The rows of a report on these devices. The name of the cursor goes on until there are no results. [OA, RZ] */
    async report<Row>(path: string, device_ids: readonly number[]): Promise<Row[]> {
      const all: Row[] = []
      for (let at = 0; at < device_ids.length; at += DEVICES_OF_A_REPORT) {
        const df = deviceFilter('id', device_ids.slice(at, at + DEVICES_OF_A_REPORT))
        let cursor: string | null = ''
        while (cursor !== null) {
          const query: Query = { df, pageSize: REPORT_PAGE, ...(cursor && { cursor }) }
          const found: ReportPage<Row> | null = await get(`/queries/${path}`, query)
          const rows: readonly Row[] = found?.results ?? []
          all.push(...rows)
          cursor = (rows.length > 0 && found?.cursor?.name) || null
        }
      }
      return all
    },
  }
}

export type Api = ReturnType<typeof apiOf>

/** Times are seconds with a fraction. [OA] */
export const instant = (seconds: number | null | undefined): Date | null =>
  seconds ? new Date(Math.round(seconds * 1000)) : null
