/** The documents beside the operations: the OpenAPI description and the pages that show it. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { ApiError, methodNotAllowed } from '../errors.ts'
import type { Call } from '../gateway/call.ts'
import { contentTag } from '../gateway/entity-tags.ts'
import type { Operation } from '../gateway/operation.ts'
import { commonHeaders, SCHEMA_CACHE, timingsOf } from '../gateway/response-headers.ts'
import type { Endpoint } from '../http/dispatch.ts'
import { isUnmodified, JSON_TYPE, send } from '../http/send.ts'
import { API_VERSION, BASE_PATH, placesOf } from '../lib/api.ts'
import { envelope } from './envelope.ts'
import { openApiDocument } from './openapi/document.ts'
import { ERRORS_POLICY, errorsPage } from './openapi/errors-page.ts'
import { INDEX_POLICY, indexPage } from './openapi/index-page.ts'
import { REFERENCE_POLICY, REFERENCE_SCRIPT, referencePage } from './openapi/reference-page.ts'

/** A document, or a page for people. */
interface Page {
  /** Callers without a credential are charged for it, since programs ask for it. */
  charged?: true
  headers: Record<string, string>
  load(): string | Buffer | Promise<string | Buffer>
  /** The same for programs: the `data` of an envelope. */
  data?: Record<string, string>
}

/** The bytes of a page and the headers that go with them, made once. */
interface Loaded {
  body: Buffer
  headers: Record<string, string>
}

const DOCS = `${BASE_PATH}/docs`
const JSON_PATH = `${BASE_PATH}/openapi.json`
const METHODS = ['GET', 'HEAD', 'OPTIONS']

const REFERENCE = {
  style: `${DOCS}/swagger-ui.css`,
  bundle: `${DOCS}/swagger-ui-bundle.js`,
  script: `${DOCS}/reference.js`,
}

/** A file of the Swagger UI package. */
const packageFile = (name: string) => (): Promise<Buffer> =>
  readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`))

const SCRIPT = { 'Content-Type': 'text/javascript; charset=utf-8' }

const html = (policy: string): Record<string, string> => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': policy,
  'Referrer-Policy': 'no-referrer',
})

function pagesOf(operations: readonly Operation[], graphiql: boolean): Record<string, Page> {
  const text = () => JSON.stringify(openApiDocument(operations))
  const places = placesOf(graphiql)
  const index: Page = {
    headers: { ...html(INDEX_POLICY), Vary: 'Accept, Origin' },
    load: () => indexPage(places),
    data: { name: 'Automation Service Public API', version: API_VERSION, ...places },
  }
  return {
    '/': index,
    [BASE_PATH]: index,
    [`${BASE_PATH}/`]: index,
    [JSON_PATH]: { charged: true, headers: { 'Content-Type': JSON_TYPE }, load: text },
    [`${BASE_PATH}/openapi.yaml`]: {
      charged: true,
      headers: { 'Content-Type': 'application/yaml; charset=utf-8' },
      load: async () => (await import('yaml')).stringify(JSON.parse(text()), { lineWidth: 0 }),
    },
    [DOCS]: { headers: html(REFERENCE_POLICY), load: () => referencePage(JSON_PATH, REFERENCE) },
    [REFERENCE.style]: {
      headers: { 'Content-Type': 'text/css; charset=utf-8' },
      load: packageFile('swagger-ui.css'),
    },
    [REFERENCE.bundle]: { headers: SCRIPT, load: packageFile('swagger-ui-bundle.js') },
    [REFERENCE.script]: { headers: SCRIPT, load: () => REFERENCE_SCRIPT },
    [`${DOCS}/errors`]: { headers: html(ERRORS_POLICY), load: errorsPage },
  }
}

/** A document that another part of the service brings. */
interface Extra {
  content_type: string
  body: string
}

const pageOf = ({ content_type, body }: Extra): Page => ({
  headers: { 'Content-Type': content_type, 'Content-Security-Policy': "default-src 'none'" },
  load: () => body,
})

interface DocumentOptions {
  operations: readonly Operation[]
  /** Charges a call to its address. */
  charge: (call: Call) => Promise<void>
  /** True where GraphiQL is served. */
  graphiql: boolean
  /** Other documents, by their path. */
  extra?: Readonly<Record<string, Extra>>
}

async function load(page: Page): Promise<Loaded> {
  const body = Buffer.from(await page.load())
  const headers = { ...page.headers, 'Cache-Control': SCHEMA_CACHE, ETag: contentTag(body) }
  return { body, headers }
}

/** Serves the documents to anyone. Each is made when it is first asked for. */
export function documentEndpoint({
  operations,
  charge,
  graphiql,
  extra = {},
}: DocumentOptions): Endpoint<Call> {
  const extras = Object.entries(extra).map(([path, document]) => [path, pageOf(document)] as const)
  const pages = new Map([...Object.entries(pagesOf(operations, graphiql)), ...extras])
  const loaded = new Map<Page, Promise<Loaded>>()

  function loadOnce(page: Page): Promise<Loaded> {
    const loading = loaded.get(page) ?? load(page)
    loaded.set(page, loading)
    loading.catch(() => loaded.delete(page))
    return loading
  }

  return {
    name: 'documents',
    has: (path) => pages.has(path) || path.startsWith(`${DOCS}/`),
    allowed: (path) => (pages.has(path) ? METHODS : []),
    async handle({ request, res, call }) {
      const { path, method } = request
      const page = pages.get(path)
      if (!page) throw new ApiError('not_found')
      if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(METHODS)
      if (page.data && !request.accepts_html) {
        await charge(call)
        const timings = timingsOf(call)
        const headers = { ...commonHeaders(call, timings), ...page.headers, 'Content-Type': JSON_TYPE }
        const meta = { request_id: call.id, timings_ms: timings, warnings: [] }
        return send(res, { status: 200, headers, body: JSON.stringify(envelope({ data: page.data }, meta)) })
      }
      const { body, headers } = await loadOnce(page)
      if (page.charged && !isUnmodified(request.headers['if-none-match'], headers.ETag ?? ''))
        await charge(call)
      const common = commonHeaders(call, timingsOf(call))
      return send(res, { status: 200, headers: { ...common, ...headers }, body })
    },
  }
}
