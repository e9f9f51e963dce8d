/**
 * Requests to ConnectWise PSA. Sources: [DG] ConnectWise Developer Guide (chihlasm/resolutionflow,
 * docs/connectwise/best-practices), [OA] OpenAPI 2025.1 (ai-connor/connectwise), [DJ] KerkhoffTechnologies/django-connectwise.
 */
import { createHash } from 'node:crypto'
import type { z } from 'zod'
import type { OpenedConnection } from '../adapter.ts'
import type { VendorAnswer, VendorClient, VendorWrite } from '../http/client.ts'
import { VendorFailure } from '../http/failure.ts'
import { allRows, fitting, rowsFitting } from '../http/forms.ts'
import { PortRefusal, PortUnavailable, type RefusalReason } from '../port.ts'
import { timeOf } from '../times.ts'

type Query = Readonly<Record<string, string | number>>

/** A change of one field; paths have no leading slash, and a reference is replaced whole. [DG] */
export interface Patch {
  op: 'replace' | 'remove'
  path: string
  value?: unknown
}

/** The most rows of a page. [DG] */
const PAGE = 1000
export const SYSTEM = 'CONNECTWISE_PSA'
const FORWARDS = { 'pagination-type': 'forward-only' }
/** `v4_6_release` leads to the current release. [DG, DJ] */
const BASE = '/v4_6_release/apis/3.0'

/** `pageId` of the next page. Its address is not followed: only this number is taken of it. [DG] */
function nextPage({ headers }: VendorAnswer): string | null {
  const link = [headers.link].flat().join(',')
  const next = link.split(',').find((part) => /rel="?next"?/.test(part))
  return next?.match(/[?&]pageId=(\d+)/)?.[1] ?? null
}

/** The instants at which credentials were last accepted, by a hash of them. */
const accepted = new WeakMap<VendorClient, Map<string, number>>()
/** A new entry replaces the oldest. */
const MAX_ACCEPTED = 1000
/** For so long credentials that were accepted are taken to be so. */
const ACCEPTED_MS = 60_000

function acceptedBy(client: VendorClient, credentials: string) {
  const known = accepted.get(client) ?? new Map<string, number>()
  accepted.set(client, known)
  const hash = createHash('sha256').update(credentials).digest('base64')
  return {
    isRecent: () => performance.now() - (known.get(hash) ?? Number.NEGATIVE_INFINITY) < ACCEPTED_MS,
    note() {
      known.delete(hash)
      if (known.size === MAX_ACCEPTED) known.delete(known.keys().next().value as string)
      known.set(hash, performance.now())
    },
  }
}

export function apiOf(client: VendorClient, connection: OpenedConnection<'CONNECTWISE_PSA'>) {
  const { site, company, client_id, public_key, private_key } = connection.settings
  const vendor = client.site({ ...connection, system: SYSTEM }, site)
  // The user name is the company and the public key. [DG, DJ]
  const credentials = Buffer.from(`${company}+${public_key}:${private_key}`).toString('base64')
  const headers = {
    authorization: `Basic ${credentials}`,
    clientid: client_id,
    accept: 'application/vnd.connectwise.com+json; version=2025.1',
  }

  const recently_accepted = acceptedBy(
    client,
    `${connection.connection_id} ${site} ${client_id} ${credentials}`,
  )

  /** The cloud answers wrong credentials with 404 [DG]: what everybody may read tells that from what is not there. */
  async function judged(answer: VendorAnswer): Promise<VendorAnswer> {
    if (answer.is_ok) recently_accepted.note()
    if (answer.status !== 404 || recently_accepted.isRecent()) return answer
    const info = await vendor.read({ path: `${BASE}/system/info`, headers }).catch((error: unknown) => {
      // Refused in another way than by 404, it is only this that they may not read.
      if (error instanceof PortUnavailable && error.kind === 'CREDENTIALS') return null
      throw error
    })
    if (info?.status === 404)
      throw new VendorFailure('CONNECTWISE_PSA answered 404 to what is always there', { kind: 'CREDENTIALS' })
    recently_accepted.note()
    return answer
  }

  const read = async (path: string, all: Query = {}, more: Record<string, string> = {}) => {
    const query = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
    return await judged(
      await vendor.read({ path: `${BASE}${path}`, query, headers: { ...headers, ...more } }),
    )
  }

  const refused = ({ status }: VendorAnswer): never => {
    throw new VendorFailure(`CONNECTWISE_PSA refused the request (${status})`)
  }

  async function write(request: VendorWrite, missing?: RefusalReason): Promise<unknown> {
    const answer = await vendor.write({ ...request, path: `${BASE}${request.path}`, headers })
    await judged(answer)
    if (!answer.is_ok) throw new PortRefusal((answer.status === 404 && missing) || 'CHANGE_REFUSED')
    return answer.body
  }

  const rowsIn = async <Row>(form: z.ZodType<Row>, path: string, answer: VendorAnswer): Promise<Row[]> =>
    answer.is_ok ? await rowsFitting(SYSTEM, path, form, answer.body) : refused(answer)

  /** The rows after an id, by id, and the id to go on after: pages that are asked for forwards take no order. [DG] */
  async function after<Row>(form: z.ZodType<Row>, path: string, query: Query, last: string | null) {
    const answer = await read(
      path,
      { pageSize: PAGE, ...query, ...(last !== null && { pageId: last }) },
      FORWARDS,
    )
    // Of a collection itself it can mean wrong credentials, and no empty list. [DG]
    if (answer.status === 404 && /\/\d+\//.test(path)) return { rows: [], next: null }
    const rows = await rowsIn(form, path, answer)
    // A page that is not full is the last one, whatever its `Link` says.
    return { rows, next: rows.length < Number(query.pageSize ?? PAGE) ? null : nextPage(answer) }
  }

  async function* pages<Row>(form: z.ZodType<Row>, path: string, query: Query): AsyncGenerator<Row[]> {
    let last: string | null = null
    do {
      const page: { rows: Row[]; next: string | null } = await after(form, path, query, last)
      yield page.rows
      last = page.next
    } while (last !== null)
  }

  return {
    connection_id: connection.connection_id,
    site: new URL(site),
    company,
    /** null: there is no such thing, of which the answer may be an empty one. */
    async get<Row>(form: z.ZodType<Row>, path: string): Promise<Row | null> {
      const answer = await read(path)
      if (answer.status === 404) return null
      if (answer.is_ok && answer.body === null) return null
      return answer.is_ok ? fitting(SYSTEM, path, form, answer.body) : refused(answer)
    },
    /** The rows of one page, in an order. */
    page: async <Row>(form: z.ZodType<Row>, path: string, query: Query): Promise<Row[]> =>
      await rowsIn(form, path, await read(path, query)),
    after,
    /** Every row, by id. */
    all: async <Row>(form: z.ZodType<Row>, path: string, query: Query = {}): Promise<Row[]> =>
      await allRows(pages(form, path, query)),
    async post<Row>(
      form: z.ZodType<Row>,
      path: string,
      json: unknown,
      missing?: RefusalReason,
    ): Promise<Row> {
      return fitting(SYSTEM, path, form, await write({ method: 'POST', path, json }, missing))
    },
    async patch<Row>(
      form: z.ZodType<Row>,
      path: string,
      json: readonly Patch[],
      missing?: RefusalReason,
    ): Promise<Row> {
      return fitting(SYSTEM, path, form, await write({ method: 'PATCH', path, json }, missing))
    },
    async delete(path: string): Promise<void> {
      await write({ method: 'DELETE', path })
    },
  }
}

export type Api = ReturnType<typeof apiOf>

/** The fields of the form, as `fields` names them. */
export const fieldsOf = (form: z.ZodObject): string => Object.keys(form.shape).join(',')

interface Person {
  firstName?: string | undefined
  lastName?: string | undefined
}

export const fullName = ({ firstName, lastName }: Person): string =>
  [firstName, lastName].filter(Boolean).join(' ')

/** Times are UTC, with a `Z`. [OA] What is no time is as long ago as can be. */
export const instant = (text: string | undefined): Date => timeOf(text) ?? new Date(0)
