/**
 * Requests to NinjaOne. Sources: [OA] the vendor's OpenAPI document, Public API 2.0.9-draft (homotechsual/NinjaOne,
 * ninjaOne-API-core-resources.yaml), [PS] the client of the same repository, [DF] a guide to the API with the vendor's
 * grammar of device filters (the agent skill `ninjaone-api`), tried with a live system, [RZ] an import into runZero
 * (ninjaone-tags), made by the vendor's documents.
 */
import { z } from 'zod'
import type { OpenedConnection } from '../adapter.ts'
import { LONG_LIST_BYTES, MAX_ANSWER_BYTES } from '../http/answers.ts'
import type { VendorAnswer, VendorClient } from '../http/client.ts'
import { authorisedBy, nameOf, tokenIn } from '../http/client-credentials.ts'
import { VendorFailure } from '../http/failure.ts'
import { allRows, fitting, maybe, rowsFitting, text } from '../http/forms.ts'
import type { IssuedToken, Tokens } from '../http/tokens.ts'
import { timeAt } from '../times.ts'

type Query = Readonly<Record<string, string | number>>

/** Rows of a page. No maximum is documented [OA]; others ask for more [RZ], but a device has many parts. */
const PAGE = 200

/** Lists without pages: of alerts, and of the software of a device. */
const LONG_LISTS = /\/(?:alerts|software)$/

/** Rows of a page of a report, of which 10,000 are the most. [OA] */
const REPORT_PAGE = 1000

/** Reports are asked for so many devices at once. [RZ] */
const DEVICES_OF_A_REPORT = 100

/** 429 may have no `Retry-After` [DF]; the limit is unpublished. */
const BUSY_SECONDS = 30

const REPORT = z.object({
  results: maybe(z.array(z.unknown())),
  cursor: maybe(z.object({ name: text })),
})

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

  const read = (path: string, query: Query): Promise<VendorAnswer> => {
    const max_bytes = LONG_LISTS.test(path) ? LONG_LIST_BYTES : MAX_ANSWER_BYTES
    return authorised((headers) => vendor.read({ path: `/v2${path}`, query, headers, max_bytes }))
  }

  /** null: there is no such thing. */
  async function get<Form>(form: z.ZodType<Form>, path: string, query: Query = {}): Promise<Form | null> {
    const answer = await read(path, query)
    if (answer.status === 404) return null
    if (!answer.is_ok) throw new VendorFailure(`${system} refused the request (${answer.status})`)
    return fitting(system, path, form, answer.body)
  }

  /** The rows of a list, which is a bare array. [OA] */
  const list = async <Row>(form: z.ZodType<Row>, path: string, query: Query = {}): Promise<Row[]> =>
    await rowsFitting(system, path, form, await get(z.unknown(), path, query))

  /** A page has the rows with greater ids than the one before, and an empty one is the last: a short one need not be. [OA, RZ] */
  async function* pages<Row extends { id: number }>(form: z.ZodType<Row>, path: string, query: Query) {
    for (let after = 0; ; ) {
      const rows = await list(form, path, { ...query, pageSize: PAGE, ...(after > 0 && { after }) })
      const last = rows.reduce((greatest, { id }) => Math.max(greatest, id), after)
      if (last === after) return
      yield rows
      after = last
    }
  }

  return {
    get,
    list,
    /** The rows of all pages. */
    all: async <Row extends { id: number }>(form: z.ZodType<Row>, path: string, query: Query = {}) =>
      await allRows(pages(form, path, query)),
    /** The rows of a report on these devices. The name of the cursor goes on until there are no results. [OA, RZ] */
    async report<Row>(form: z.ZodType<Row>, report: string, device_ids: readonly number[]): Promise<Row[]> {
      const path = `/queries/${report}`
      const all: Row[] = []
      for (let at = 0; at < device_ids.length; at += DEVICES_OF_A_REPORT) {
        const df = deviceFilter('id', device_ids.slice(at, at + DEVICES_OF_A_REPORT))
        let cursor: string | null = ''
        while (cursor !== null) {
          const query: Query = { df, pageSize: REPORT_PAGE, ...(cursor && { cursor }) }
          const found: z.infer<typeof REPORT> | null = await get(REPORT, path, query)
          const rows = await rowsFitting(system, path, form, found?.results ?? [])
          for (const row of rows) all.push(row)
          cursor = (rows.length > 0 && found?.cursor?.name) || null
        }
      }
      return all
    },
  }
}

export type Api = ReturnType<typeof apiOf>

/** Times are seconds with a fraction. [OA] */
export const instant = (seconds: number | undefined): Date | null =>
  seconds ? timeAt(Math.round(seconds * 1000)) : null
