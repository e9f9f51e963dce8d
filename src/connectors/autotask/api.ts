/**
 * Requests to Autotask PSA. Sources: [HP] the vendor’s help (ww1.autotask.net/help/developerhelp), [SW] its swagger
 * (panoramicdata/AutoTask.Psa.Api, swagger.v1.json), [PM] its Postman collection (AutotaskDevelopment/REST-Postman), [DA]
 * KerkhoffTechnologies/django-autotask, [GO] tphakala/go-autotask, [N8] msoukhomlinov/n8n-nodes-autotask, [NG] NangoHQ/nango,
 * [PS] KelvinTegelaar/AutotaskAPI, [AC] Anteris-Dev/autotask-client, whose entities are made of the vendor’s metadata, [WY]
 * wyre-technology/autotask-mcp.
 */
import { z } from 'zod'
import type { VendorAnswer, VendorClient, VendorRequest, VendorSite, VendorWrite } from '../http/client.ts'
import { VendorFailure } from '../http/failure.ts'
import { allRows, fitting, rowsFitting } from '../http/forms.ts'
import { createKept } from '../kept.ts'
import { PortRefusal } from '../port.ts'
import { type Choices, COUNT, FIELDS, IDENTIFIED, type Identified, ITEM, MADE, PAGE } from './answers.ts'
import { createLimits, THREADS, type Usage, usageOf } from './limits.ts'
import { checkedIn, EVERYTHING, type Filter, gt, isIn, isMet, lots } from './query.ts'
import { isRefusal, RefusedRequest } from './refusals.ts'
import { type Connection, createZones, nameOf, type Zone } from './zone.ts'

export const SYSTEM = 'AUTOTASK_PSA'
const CHOICES_MS = 300_000

/** What connections share: zones, limits and choices that are kept for a while. */
export function createShared(client: VendorClient) {
  return {
    client,
    zones: createZones(client),
    limits: createLimits(),
    choices: createKept<Choices>(CHOICES_MS),
    names: createKept<ReadonlyMap<number, string>>(CHOICES_MS),
  }
}

export type Shared = ReturnType<typeof createShared>

interface PageOptions {
  /** The names of the fields to answer with; all, if it is absent. */
  fields?: readonly string[]
  /** At most this many rows, and at most 500. */
  limit?: number
}

export function apiOf({ client, zones, limits, choices, names }: Shared, connection: Connection) {
  const { username, secret, integration_code } = connection.settings
  const { connection_id } = connection
  const name = nameOf(connection)
  const headers = { username, secret, apiintegrationcode: integration_code }

  const at = async (
    zone: Zone,
    path: string,
    call: (site: VendorSite, request: VendorRequest) => Promise<VendorAnswer>,
  ): Promise<VendorAnswer> => {
    const [, kind = ''] = path.split('/')
    const at_once = { kind, most: THREADS }
    const site = client.site({ ...connection, system: SYSTEM }, zone.api, { isRefusal, at_once })
    return await call(site, { path: `${new URL(zone.api).pathname}/v1.0${path}`, headers })
  }

  /** A tenant that has moved to another zone is answered with 401 in the one before. [DA] */
  async function inZone(
    path: string,
    call: (site: VendorSite, request: VendorRequest) => Promise<VendorAnswer>,
  ): Promise<VendorAnswer> {
    const zone = await zones.of(connection)
    try {
      return await at(zone, path, call)
    } catch (error) {
      if (!(error instanceof VendorFailure && error.kind === 'CREDENTIALS')) throw error
      zones.forget(connection)
      const present = await zones.of(connection)
      if (present.api === zone.api) throw error
      return await at(present, path, call)
    }
  }

  const usage = async (): Promise<Usage | null> => {
    const answer = await inZone('/ThresholdInformation', (site, request) => site.read(request))
    return answer.is_ok ? usageOf(answer.body) : null
  }

  async function send(
    path: string,
    call: (site: VendorSite, request: VendorRequest) => Promise<VendorAnswer>,
  ): Promise<VendorAnswer> {
    await limits.take(connection_id, usage)
    return await inZone(path, call)
  }

  const read = (path: string) => send(path, (site, request) => site.read(request))

  function checked<Body>(answer: VendorAnswer, path: string, form: z.ZodType<Body>): Body {
    // Of a write it stays open what became of it: faults of the PSA are answered alike.
    if (!answer.is_ok) throw new RefusedRequest(answer.status)
    return fitting(SYSTEM, path, form, answer.body)
  }

  async function query(entity: string, filter: readonly Filter[], { fields, limit }: PageOptions) {
    const json = {
      filter: filter.length > 0 ? filter : [EVERYTHING],
      ...(limit !== undefined && { MaxRecords: limit }),
      ...(fields && { IncludeFields: [...new Set([...fields, ...checkedIn(filter)])] }),
    }
    return await send(`/${entity}/query`, (site, request) =>
      site.readBy({ ...request, method: 'POST', json }),
    )
  }

  /** A filter that the vendor does not know can be left out in silence [WY, issue 279]: no row of others is taken for one. */
  function pageOf(answer: VendorAnswer, path: string, filter: readonly Filter[]): z.infer<typeof PAGE> {
    const page = checked(answer, path, PAGE)
    if (!page.items.every((row) => filter.every((one) => isMet(one, row))))
      throw new VendorFailure('The answer of AUTOTASK_PSA has what was not asked for')
    return page
  }

  /** Rows after an id, by id, and the id to go on after: there is no other order. [HP, DA] */
  async function after<Row extends Identified>(
    form: z.ZodType<Row>,
    entity: string,
    filter: readonly Filter[],
    last: string | null,
    options: PageOptions = {},
  ): Promise<{ rows: Row[]; next: string | null }> {
    const from = last === null ? [] : [gt('id', Number(last))]
    const page = pageOf(await query(entity, [...filter, ...from], options), entity, filter)
    const rows = await rowsFitting(SYSTEM, entity, form, page.items)
    // The address of the next page is not followed: it only says that there is one.
    const next = page.pageDetails.nextPageUrl ? rows.at(-1)?.id : undefined
    return { rows, next: next === undefined ? null : String(next) }
  }

  async function* pages<Row extends Identified>(
    form: z.ZodType<Row>,
    entity: string,
    filter: readonly Filter[],
    options: PageOptions,
  ): AsyncGenerator<Row[]> {
    let last: string | null = null
    do {
      const page: { rows: Row[]; next: string | null } = await after(form, entity, filter, last, options)
      yield page.rows
      last = page.next
    } while (last !== null)
  }

  async function write(path: string, method: VendorWrite['method'], json?: unknown): Promise<VendorAnswer> {
    const answer = await send(path, (site, request) => site.write({ ...request, method, json }))
    // Most refusals have the status of a fault (500).
    if (answer.status >= 400 && answer.status < 500) throw new PortRefusal('CHANGE_REFUSED')
    return answer
  }

  return {
    connection_id,
    zone: () => zones.of(connection),
    usage,
    /** Names of people by their ids, as they were in the last minutes. */
    namesBy: (load: () => Promise<ReadonlyMap<number, string>>) => names.get(name, load),
    /** null: there is no such thing, of which the answer is `{"item": null}` or 404 [DA, GO], or an empty one. */
    async get<Row>(form: z.ZodType<Row>, entity: string, id: number): Promise<Row | null> {
      const answer = await read(`/${entity}/${id}`)
      if (answer.status === 404 || (answer.is_ok && answer.body === null)) return null
      const { item } = checked(answer, entity, ITEM)
      return item === null ? null : fitting(SYSTEM, entity, form, item)
    },
    async count(entity: string, filter: readonly Filter[]): Promise<number> {
      const answer = await send(`/${entity}/query/count`, (site, request) =>
        site.readBy({ ...request, method: 'POST', json: { filter } }),
      )
      return checked(answer, entity, COUNT).queryCount
    },
    /** At most `limit` rows, the first by id. */
    first: async (entity: string, filter: readonly Filter[], limit: number): Promise<Identified[]> =>
      (await after(IDENTIFIED, entity, filter, null, { limit })).rows,
    after,
    /** True if there is such a thing; false too if the PSA refuses to look for it. */
    async finds(entity: string, filter: readonly Filter[]): Promise<boolean> {
      const answer = await query(entity, filter, { limit: 1 })
      return answer.is_ok && pageOf(answer, entity, filter).items.length > 0
    },
    /** Every row, by id. */
    all: async <Row extends Identified>(
      form: z.ZodType<Row>,
      entity: string,
      filter: readonly Filter[],
      fields?: readonly string[],
    ): Promise<Row[]> => await allRows(pages(form, entity, filter, fields ? { fields } : {})),
    /** The choices of the entity’s fields, as they were in the last minutes. */
    choices: (entity: string): Promise<Choices> =>
      choices.get(`${name} ${entity}`, async () => {
        const { fields } = checked(await read(`/${entity}/entityInformation/fields`), entity, FIELDS)
        return Object.fromEntries(fields.map(({ name, picklistValues }) => [name, picklistValues]))
      }),
    /** The id of the new thing; the answer has nothing else. [PM] */
    post: async (path: string, json: unknown): Promise<number> =>
      checked(await write(path, 'POST', json), path, MADE).itemId,
    /** Changes the fields that are given. The id stands in the body. [PM, HP] */
    patch: async (entity: string, json: Identified & Readonly<Record<string, unknown>>): Promise<void> => {
      checked(await write(`/${entity}`, 'PATCH', json), entity, MADE)
    },
    async delete(path: string): Promise<void> {
      checked(await write(path, 'DELETE'), path, z.unknown())
    },
  }
}

export type Api = ReturnType<typeof apiOf>

/** The rows of these ids, by id. */
export async function rowsOf<Row extends Identified>(
  api: Api,
  form: z.ZodType<Row>,
  entity: string,
  ids: readonly (number | null | undefined)[],
  fields: readonly string[],
): Promise<Map<number, Row>> {
  const rows = new Map<number, Row>()
  for (const lot of lots(ids))
    for (const row of await api.all(form, entity, [isIn('id', lot)], fields)) rows.set(row.id, row)
  return rows
}
