/**
 * Requests to NinjaOne. Sources: [OA] the vendor's OpenAPI document, Public API 2.0.9-draft (homotechsual/NinjaOne,
 * ninjaOne-API-core-resources.yaml), [PS] the client of the same repository, [DF] a guide to the API with the vendor's
 * grammar of device filters (the agent skill `ninjaone-api`), tried with a live system, [RZ] an import into runZero
 * (ninjaone-tags), made by the vendor's documents, [IS] issues 22 and 90 of the repository of [OA], [EX] a published example
 * of a report on failed scripts ("Process Log"), which reads the runs of scripts in the activities, [VD] the vendor's
 * article on the parameters of automations (scripting-and-automation/automation-parameters), [AI] a report on conditions of
 * scripts (Get-AiActivities), which reads `data` of activities, [SV] a guide to the script variables (NinjaRMM Variable
 * Implementation for PowerShell).
 */
import { z } from 'zod'
import type { OpenedConnection } from '../adapter.ts'
import { LONG_LIST_BYTES, MAX_ANSWER_BYTES } from '../http/answers.ts'
import { READ_BOUNDS, withinBounds } from '../http/call.ts'
import type { VendorAnswer, VendorClient } from '../http/client.ts'
import { authorisedBy, nameOf, refreshedTokenIn, tokenIn } from '../http/client-credentials.ts'
import { VendorFailure } from '../http/failure.ts'
import { allRows, fitting, maybe, rowsFitting, text } from '../http/forms.ts'
import type { IssuedToken, Tokens } from '../http/tokens.ts'
import { notMade, PortRefusal } from '../port.ts'
import { timeAt } from '../times.ts'

type Query = Readonly<Record<string, string | number>>

/** Rows of a page. No maximum is documented [OA]; others ask for more [RZ], but a device has many parts. */
const PAGE = 200

/** Lists without pages: of alerts, of scripts, and of the software of a device. */
const LONG_LISTS = /\/(?:alerts|scripts|software)$/

/** Rows of a page of a report, of which 10,000 are the most. [OA] */
const REPORT_PAGE = 1000

/** Reports are asked for so many devices at once. [RZ] */
const DEVICES_OF_A_REPORT = 100

/** 429 may have no `Retry-After` [DF]; the limit is unpublished. */
const BUSY_SECONDS = 30

/** The UUID of a series of activities: jobs and alerts are such series. [OA] */
export const UID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** The refusal of a request whose token belongs to no user. Unverified: its status. [IS] */
const NEEDS_USER = z.object({ error: z.literal('user_context_required') })

const needsUser = (body: unknown): boolean => NEEDS_USER.safeParse(body).success

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
    isRefusal: (status, body) => status === 401 || needsUser(body),
    busy_seconds: BUSY_SECONDS,
  })

  /** Client credentials; reads need the scope `monitoring` alone. [PS, RZ] */
  async function issue(): Promise<IssuedToken> {
    const form = { grant_type: 'client_credentials', client_id, client_secret, scope: 'monitoring' }
    // Nothing is changed by it: it can be repeated.
    return tokenIn(system, await vendor.readBy({ method: 'POST', path: '/ws/oauth/token', form }))
  }

  /**
   * The token of a user. The request has no scope [PS]; unverified: whether the vendor replaces the refresh token, and how
   * long one lasts.
   */
  const issueForUser = (): Promise<IssuedToken> =>
    connection.exchange('refresh_token', (refresh_token) =>
      withinBounds(READ_BOUNDS, async () => {
        const form = { grant_type: 'refresh_token', client_id, client_secret, refresh_token }
        // Sent once: the vendor may have replaced the token although its answer is lost.
        return refreshedTokenIn(system, await vendor.write({ method: 'POST', path: '/ws/oauth/token', form }))
      }),
    )

  const name = nameOf(connection)
  const authorised = authorisedBy({ system, tokens, name, issue })
  const authorisedByUser = authorisedBy({ system, tokens, name: `${name} user`, issue: issueForUser })

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
  async function page<Row extends { id: number }>(
    form: z.ZodType<Row>,
    path: string,
    query: Query,
    after: number,
  ): Promise<{ rows: Row[]; next: number | null }> {
    const rows = await list(form, path, { ...query, pageSize: PAGE, ...(after > 0 && { after }) })
    const last = rows.reduce((greatest, { id }) => Math.max(greatest, id), after)
    return last === after ? { rows: [], next: null } : { rows, next: last }
  }

  async function* pages<Row extends { id: number }>(form: z.ZodType<Row>, path: string, query: Query) {
    for (let after: number | null = 0; after !== null; ) {
      const { rows, next }: { rows: Row[]; next: number | null } = await page(form, path, query, after)
      yield rows
      after = next
    }
  }

  return {
    get,
    list,
    page,
    /** Sends a write in the name of the user, once. Rejects with NOT_SUPPORTED if the token is no user's. */
    async post(path: string, json: unknown): Promise<VendorAnswer> {
      let is_begun = false
      const answer = await authorisedByUser((headers) => {
        is_begun = true
        return vendor.write({ method: 'POST', path: `/v2${path}`, json, headers })
      }).catch((error: unknown) => {
        throw is_begun ? error : notMade(error)
      })
      if (needsUser(answer.body)) throw new PortRefusal('NOT_SUPPORTED')
      if (!answer.is_ok && answer.status !== 404)
        throw new VendorFailure(`${system} refused the request (${answer.status})`)
      return answer
    },
    issueForUser,
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
