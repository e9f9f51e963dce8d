/**
 * An HTTP double of Autotask PSA, written from its published documents (the sources are named in
 * `src/connectors/autotask/api.ts`). It refuses whatever it does not know, and keeps a record of that.
 */
import { createHmac } from 'node:crypto'
import { type DoubleAnswer, type DoubleRequest, jsonOf, Refusal, startVendor } from '../vendor.ts'
import { ENTITIES, type Entity, PICKLISTS } from './entities.ts'
import { BadQuery, parseQuery, type Row } from './query.ts'
import { createRules } from './rules.ts'
import { createStore } from './store.ts'

export const SETTINGS = { username: 'api@msp.example', secret: 'secret-1', integration_code: 'CODE1' }

const THREADS = 3

/** Nearly every refusal is a 500 with errors. */
const refuse = (message: string): never => {
  throw new Refusal(500, message)
}

const OK = (body: unknown): DoubleAnswer => ({ status: 200, body })

export async function startAutotask({ now }: { now: () => Date }) {
  const store = createStore()
  const rules = createRules(store, now)
  /** The zone of the tenant. Others know it, but do not serve it. */
  let zone = 'zone5'
  /** The address that it tells for the zone, if it is not its own. */
  let told: string | null = null
  /** Filters are left out in silence. */
  let is_careless = false
  /** Answers have nothing in them. */
  let is_empty = false
  let used = 100
  /** What requests wait for. */
  let gate: Promise<void> = Promise.resolve()
  const under_way = new Map<string, number>()
  let most_threads = 0

  function zoneInformation({ method, url, headers }: DoubleRequest): DoubleAnswer {
    if (method !== 'GET' || headers.secret !== undefined) refuse('the zone is asked for without credentials')
    if (url.searchParams.get('user') !== SETTINGS.username)
      throw new Refusal(500, 'The user is unknown', { is_expected: true })
    return OK({
      zoneName: 'Zone',
      // With a double slash, as it was seen.
      url: told ?? `${url.origin}//${zone}/ATServicesRest/`,
      webUrl: 'https://ww5.psa.example/',
      ci: 1,
    })
  }

  function query(name: string, entity: Entity, body: unknown): DoubleAnswer {
    const { most, matches, shown } = parseQuery(body, entity.fields)
    const items: Row[] = []
    for (const row of store.listed(name)) {
      if (!is_careless && !matches(row)) continue
      items.push(shown(row))
      if (items.length === most) break
    }
    // A full page names a next one, even if there is nothing on it.
    const nextPageUrl = items.length === most ? `https://x.example/v1.0/${name}/query/next?paging=1` : null
    const pageDetails = { count: items.length, requestCount: most, prevPageUrl: null, nextPageUrl }
    return OK({ items, pageDetails })
  }

  function answer(method: string, path: string, body: unknown): DoubleAnswer {
    if (path === 'ThresholdInformation' && method === 'GET')
      return OK({
        externalRequestThreshold: 10_000,
        requestThresholdTimeframe: 60,
        currentTimeframeRequestCount: used,
      })
    const [name = '', ...rest] = path.split('/')
    const entity = ENTITIES[name]
    const route = `${method} ${rest.map((part) => (/^\d+$/.test(part) ? '{id}' : part)).join('/')}`
    const id = Number(rest[0])
    if (entity && route === 'POST query') return query(name, entity, body)
    if (entity && route === 'POST query/count') {
      const { matches } = parseQuery(body, entity.fields)
      return OK({ queryCount: [...store.listed(name)].filter(matches).length })
    }
    if (entity && route === 'GET {id}') return OK({ item: store.get(name, id) ?? null })
    if (route === 'GET entityInformation/fields' && PICKLISTS[name]) return OK({ fields: PICKLISTS[name] })
    if (entity?.creates && route === 'POST ') return OK({ itemId: rules.create(name, body) })
    if (route === 'POST {id}/Notes' && name === 'Tickets') return OK({ itemId: rules.createNote(id, body) })
    if (entity?.changes && route === 'PATCH ') return OK({ itemId: rules.change(name, body) })
    if (route === 'POST {id}/Fields' && name.endsWith('Webhooks'))
      return OK({ itemId: rules.createWebhookField(name, id, body) })
    if (route === 'POST {id}/ExcludedResources' && name.endsWith('Webhooks'))
      return OK({ itemId: rules.createExcludedResource(name, id, body) })
    if (entity?.deletes && route === 'DELETE {id}') {
      store.remove(name, id)
      return OK({ itemId: id })
    }
    throw new Refusal(404, `no such path: ${method} ${path}`)
  }

  async function inThread(kind: string, work: () => DoubleAnswer): Promise<DoubleAnswer> {
    const threads = (under_way.get(kind) ?? 0) + 1
    under_way.set(kind, threads)
    most_threads = Math.max(most_threads, threads)
    try {
      await gate
      if (threads > THREADS) throw new Refusal(429, `${threads} threads for ${kind}`)
      return work()
    } finally {
      under_way.set(kind, (under_way.get(kind) ?? 1) - 1)
    }
  }

  async function serve(request: DoubleRequest): Promise<DoubleAnswer> {
    const { method, url, headers } = request
    // Paths are taken in any letter case.
    if (url.pathname.toLowerCase() === '/atservicesrest/v1.0/zoneinformation') return zoneInformation(request)
    const [, of = '', path = ''] = /^\/(zone\d)\/ATServicesRest\/v1\.0\/(.+)$/.exec(url.pathname) ?? []
    if (path === '') throw new Refusal(404, 'no such path')
    used++
    store.tick()
    const is_known =
      headers.username === SETTINGS.username &&
      headers.secret === SETTINGS.secret &&
      headers.apiintegrationcode === SETTINGS.integration_code
    if (of !== zone || !is_known) throw new Refusal(401, 'Unauthorized', { is_expected: true })
    if ([...url.searchParams.keys()].length > 0) refuse('parameters')
    const body = jsonOf(request)
    return await inThread(path.split('/')[0] ?? '', () => {
      try {
        return is_empty ? OK({}) : answer(method, path, body)
      } catch (error) {
        if (error instanceof BadQuery) refuse(error.message)
        throw error
      }
    })
  }

  const vendor = await startVendor({
    serve,
    errorBody(status, message) {
      if (status === 401) return undefined
      // Its own faults have no list of errors (unverified).
      return message === 'Error' ? { Message: 'An error has occurred.' } : { errors: [message] }
    },
    retry_after: null,
  })

  return {
    ...vendor,
    ...store,
    touch: rules.touch,
    excludes: rules.excludes,
    /** An event as the PSA sends it, with the signature of its webhook. The body is written as .NET does. */
    event(webhook: string, fields: Row) {
      const { secretKey, webhookGUID: Guid } = store.rowsOf(webhook)[0] ?? {}
      const text = JSON.stringify({ Guid, ...fields }).replace(
        /[&'+<>`\u0080-\uffff]/g,
        (letter) => `\\u${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
      )
      const raw = Buffer.from(text)
      const signature = createHmac('sha1', String(secretKey)).update(raw).digest('base64')
      return { raw, headers: { 'x-hook-signature': `sha1=${signature}` } }
    },
    /** The tenant moves to another zone. */
    move(to: string): void {
      zone = to
    },
    tellZone(address: string): void {
      told = address
    },
    answerAll(): void {
      is_careless = true
    },
    answerNothing(): void {
      is_empty = true
    },
    /** The requests of the hour, of all integrations. */
    use(count: number): void {
      used = count
    },
    /** Requests wait until the promise is fulfilled. */
    hold(until: Promise<void>): void {
      gate = until
    },
    mostThreads: () => most_threads,
  }
}

export type Autotask = Awaited<ReturnType<typeof startAutotask>>
