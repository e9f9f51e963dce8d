/**
 * Requests to HaloPSA. Sources: [SW] the vendor's OpenAPI document (covenanttechnologysolutions/halopsa-rest,
 * generator/spec), [HA] homotechsual/HaloAPI, [PD] panoramicdata/HaloPsa.Api, whose tests have answers of a live system, [DJ]
 * KerkhoffTechnologies’ synchronisation of tickets (djpsa.halo), [RZ] runZero’s certificate digest for HaloITSM, [RX]
 * redanthrax/halopsa-node, [PY] HaloPSA of PyPI, [PV] provisiondata/ProvisionData.HaloPSA.ApiClient, generated from a later
 * document of the vendor, [KB] the vendor's guides, [MC] Tim-ImpendingTech/HaloPSA-MCP-Server.
 */
import { z } from 'zod'
import type { OpenedConnection } from '../adapter.ts'
import { LONG_LIST_BYTES, MAX_ANSWER_BYTES } from '../http/answers.ts'
import type { VendorAnswer, VendorClient } from '../http/client.ts'
import { authorisedBy, nameOf, tokenIn } from '../http/client-credentials.ts'
import { VendorFailure } from '../http/failure.ts'
import { allRows, fitting, reference, rowsFitting } from '../http/forms.ts'
import { ownAddress } from '../http/owner.ts'
import type { IssuedToken, Tokens } from '../http/tokens.ts'
import type { Kept } from '../kept.ts'
import { PortRefusal, type RefusalReason } from '../port.ts'
import { timeOf, timeOfEvent } from '../times.ts'

/** The tokens and choices that are kept of all connections. */
export interface Memory {
  tokens: Tokens
  choices: Kept<unknown>
}

type Query = Readonly<Record<string, string | number | boolean>>

/** The members of answers that have the rows. [SW] */
const MEMBERS = {
  '/Tickets': 'tickets',
  '/Client': 'clients',
  '/Site': 'sites',
  '/Users': 'users',
  '/Actions': 'actions',
  '/ClientContract': 'contracts',
  '/Attachment': 'attachments',
} as const

/** Others are bare arrays. [SW; PD: Status and Priority of a live system] */
type Wrapped = keyof typeof MEMBERS

/** Lists without pages, of rows that have texts. */
const LONG_LISTS = new Set(['/Actions'])

/**
 * The largest page of tickets [SW]; of other lists none is documented. Each page of a list is asked for with the same size, by
 * which the vendor counts pages.
 */
export const PAGE = 100

/** 429 has no `Retry-After`; the window of the limit has five minutes. [HA] */
const BUSY_SECONDS = 30

const AUTH_INFO = z.object({ auth_url: z.string().max(2000), tenant_id: z.string().max(200).nullish() })

export interface Page<Row> {
  rows: Row[]
  /** Rows of all pages; null: the answer does not say. */
  total: number | null
}

/** A place in a list, between two of its pages. */
export interface ListPlace {
  page_no: number
  /** Rows of the pages before it. */
  read_rows: number
  /** First row of the page before it. */
  first_id?: number
}

export const LIST_START: ListPlace = { page_no: 1, read_rows: 0 }

export interface ListPart<Row> {
  rows: readonly Row[]
  /** null: the list is over. */
  next: ListPlace | null
}

/**
 * The rows of the page that was read at the place, and the place after it. A page can have fewer rows than were asked for. A
 * list without a count is over at an empty page, or at one that begins as the page before: a system that gives all rows at
 * once knows no pages.
 */
export function readAt<Row extends { id: number }>(
  { page_no, read_rows, first_id }: ListPlace,
  { rows, total }: Page<Row>,
): ListPart<Row> {
  const [first] = rows
  if (!first || (total === null && first.id === first_id)) return { rows: [], next: null }
  const read = read_rows + rows.length
  const is_whole = total !== null && read >= total
  return { rows, next: is_whole ? null : { page_no: page_no + 1, read_rows: read, first_id: first.id } }
}

export const SYSTEM = 'HALO_PSA'

/** The PSA answered, and did not take the request. */
class RefusedRequest extends VendorFailure {
  constructor(status: number) {
    super(`HALO_PSA refused the request (${status})`)
  }
}

const WITH_ROWS = z.looseObject({ record_count: reference })

/** Answers have the rows, or an object with them [SW, PD]; null: there are none. [RZ] */
function listIn(path: string, body: unknown): { rows: unknown; total: number | null } {
  const member = MEMBERS[path as Wrapped]
  if (!member || Array.isArray(body)) return { rows: body, total: null }
  const { record_count, ...members } = fitting(SYSTEM, path, WITH_ROWS, body)
  return { rows: members[member] === null ? [] : members[member], total: record_count ?? null }
}

const withoutSlash = (path: string): string => path.replace(/\/$/, '')

export function apiOf(client: VendorClient, connection: OpenedConnection<'HALO_PSA'>, memory: Memory) {
  const { site, tenant, client_id, client_secret } = connection.settings
  const caller = { ...connection, system: SYSTEM }
  const options = { isRefusal: (status: number) => status === 401, busy_seconds: BUSY_SECONDS }
  const vendor = client.site(caller, site, options)
  const name = nameOf(connection)

  /** Client credentials. The authorisation server can have another address, which the system itself tells. [HA] */
  async function issue(): Promise<IssuedToken> {
    const info = await vendor.read({ path: '/api/authinfo' })
    const found = info.is_ok ? AUTH_INFO.safeParse(info.body).data : undefined
    const url = found ? ownAddress(found.auth_url, new URL(site)) : new URL('/auth', site)
    if (!url)
      throw client.refused(caller, found?.auth_url ?? '', 'named an authorisation server that is not its own')
    const of = tenant ?? found?.tenant_id
    // Nothing is changed by it: it can be repeated.
    const answer = await client.site(caller, url.origin, options).readBy({
      method: 'POST',
      path: `${withoutSlash(url.pathname)}/token`,
      ...(of && { query: { tenant: of } }),
      form: { grant_type: 'client_credentials', client_id, client_secret, scope: 'all' },
    })
    return tokenIn('HALO_PSA', answer)
  }

  const authorised = authorisedBy({ system: 'HALO_PSA', tokens: memory.tokens, name, issue })

  const refused = ({ status }: VendorAnswer): never => {
    throw new RefusedRequest(status)
  }

  async function read(path: string, query: Query): Promise<VendorAnswer> {
    const texts = Object.fromEntries(Object.entries(query).map(([key, value]) => [key, String(value)]))
    const max_bytes = LONG_LISTS.has(path) ? LONG_LIST_BYTES : MAX_ANSWER_BYTES
    return await authorised((headers) =>
      vendor.read({ path: `/api${path}`, query: texts, headers, max_bytes }),
    )
  }

  async function rows<Row>(form: z.ZodType<Row>, path: string, query: Query): Promise<Page<Row>> {
    const answer = await read(path, query)
    if (!answer.is_ok) return refused(answer)
    const found = listIn(path, answer.body)
    return { rows: await rowsFitting(SYSTEM, path, form, found.rows), total: found.total }
  }

  const page = <Row>(form: z.ZodType<Row>, path: Wrapped, query: Query, page_no = 1, page_size = PAGE) =>
    // `pageinate` is spelled so. [SW, HA]
    rows(form, path, { ...query, pageinate: true, page_size, page_no })

  async function* pages<Row extends { id: number }>(
    form: z.ZodType<Row>,
    path: Wrapped,
    query: Query,
  ): AsyncGenerator<readonly Row[]> {
    let place: ListPlace | null = LIST_START
    while (place) {
      const part: ListPart<Row> = readAt(place, await page(form, path, query, place.page_no))
      yield part.rows
      place = part.next
    }
  }

  return {
    name,
    connection_id: connection.connection_id,
    site: new URL(site),
    choices: memory.choices,
    /** null: there is no such thing, of which the answer may be an empty one. */
    async get<Row>(form: z.ZodType<Row>, path: string, query: Query = {}): Promise<Row | null> {
      const answer = await read(path, query)
      if (answer.status === 404) return null
      if (answer.is_ok && answer.body === null) return null
      return answer.is_ok ? fitting(SYSTEM, path, form, answer.body) : refused(answer)
    },
    /** The rows of a list that has no pages. */
    list: async <Row>(form: z.ZodType<Row>, path: string, query: Query = {}): Promise<Row[]> =>
      (await rows(form, path, query)).rows,
    page,
    /** The rows page by page, until somebody has enough of them. */
    pages,
    all: async <Row extends { id: number }>(
      form: z.ZodType<Row>,
      path: Wrapped,
      query: Query,
    ): Promise<Row[]> => await allRows(pages(form, path, query)),
    /** Everything is written by POST of an array: an item with an id changes, one without is made. [SW, HA] */
    async post<Row>(form: z.ZodType<Row>, path: string, item: object, missing?: RefusalReason): Promise<Row> {
      const answer = await authorised((headers) =>
        vendor.write({ method: 'POST', path: `/api${path}`, json: [item], headers }),
      )
      if (!answer.is_ok) throw new PortRefusal((answer.status === 404 && missing) || 'CHANGE_REFUSED')
      // The answer is the thing, or an array of it. [SW, RX]
      return fitting(SYSTEM, path, form, Array.isArray(answer.body) ? answer.body[0] : answer.body)
    },
    async delete(path: string): Promise<void> {
      const answer = await authorised((headers) =>
        vendor.write({ method: 'DELETE', path: `/api${path}`, headers }),
      )
      if (!answer.is_ok && answer.status !== 404) refused(answer)
    },
  }
}

export type Api = ReturnType<typeof apiOf>

const FIRST_YEAR = 1980

/** A year before 1980 stands for none. [DJ] */
const known = (date: Date | null): Date | null => (date && date.getUTCFullYear() > FIRST_YEAR ? date : null)

/** Times have no zone and are UTC. */
export const instant = (text: string | null | undefined): Date | null => known(timeOf(text))

export const instantOfEvent = (text: string | null | undefined): Date | null => known(timeOfEvent(text))

/** As parameters and fields take it. [PD] */
export const timeText = (date: Date): string => date.toISOString().slice(0, 19)

/** Characters that mean something in the patterns of the vendor's database. Unverified: whether it escapes them. */
const SPECIAL = /[%_[\]'"\\^-]+/

/** The longest part of the words that can be searched for: what is found has to be filtered. null: there is none. */
export function longestPart(words: readonly string[]): string | null {
  const parts = words.flatMap((word) => word.split(SPECIAL)).filter(Boolean)
  return parts.toSorted((one, other) => other.length - one.length)[0] ?? null
}
