/** The documents beside the operations: the OpenAPI description and the pages that show it. */
import { ApiError, methodNotAllowed } from '../errors/errors.ts'
import type { Call } from '../gateway/call.ts'
import type { Operation } from '../gateway/operation.ts'
import { commonHeaders, SCHEMA_CACHE, timingsOf } from '../gateway/response-headers.ts'
import type { Endpoint } from '../http/dispatch.ts'
import { isUnmodified, JSON_TYPE, send } from '../http/send.ts'
import {
  pageFile,
  SCRIPT,
  STYLE,
  type StaticFile,
  type StaticFiles,
  staticFileLoader,
} from '../http/static-files.ts'
import { API_VERSION, BASE_PATH, placesOf } from '../lib/api.ts'
import { envelope } from './envelope.ts'
import { openApiDocument } from './openapi/document.ts'
import { ERRORS_POLICY, errorsPage } from './openapi/errors-page.ts'
import { INDEX_POLICY, indexPage } from './openapi/index-page.ts'
import { REFERENCE_POLICY, referencePage } from './openapi/reference-page.ts'

/** A document, or a page for people. */
interface Page extends StaticFile {
  /** Callers without a credential are charged for it, since programs ask for it. */
  charged?: true
  /** The same for programs: the `data` of an envelope. */
  data?: Record<string, string>
}

const DOCS = `${BASE_PATH}/docs`
const JSON_PATH = `${BASE_PATH}/openapi.json`
const METHODS = ['GET', 'HEAD', 'OPTIONS']

const REFERENCE = {
  style: `${DOCS}/reference.css`,
  script: `${DOCS}/reference.js`,
  document: JSON_PATH,
  errors: `${DOCS}/errors`,
}

const html = (policy: string): Record<string, string> => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': policy,
  'Referrer-Policy': 'no-referrer',
})

/** The documents that only the operations decide, by their path. */
export function operationPages(operations: readonly Operation[]): Record<string, Page> {
  const text = () => JSON.stringify(openApiDocument(operations))
  return {
    [JSON_PATH]: { charged: true, headers: { 'Content-Type': JSON_TYPE }, make: text },
    [`${BASE_PATH}/openapi.yaml`]: {
      charged: true,
      headers: { 'Content-Type': 'application/yaml; charset=utf-8' },
      make: async () => (await import('yaml')).stringify(JSON.parse(text()), { lineWidth: 0 }),
    },
    [DOCS]: {
      headers: html(REFERENCE_POLICY),
      make: () => referencePage(openApiDocument(operations), REFERENCE),
    },
    [REFERENCE.style]: { headers: STYLE, make: pageFile('reference.css') },
    [REFERENCE.script]: { headers: SCRIPT, make: pageFile('reference.js') },
    [REFERENCE.errors]: { headers: html(ERRORS_POLICY), make: errorsPage },
  }
}

/** The page of links, which depends on the configuration. */
function indexPages(graphiql: boolean): Record<string, Page> {
  const places = placesOf(graphiql)
  const index: Page = {
    headers: { ...html(INDEX_POLICY), Vary: 'Accept' },
    make: () => indexPage(places),
    data: { name: 'Automation Service Public API', version: API_VERSION, ...places },
  }
  return { '/': index, [BASE_PATH]: index, [`${BASE_PATH}/`]: index }
}

interface DocumentOptions {
  operations: readonly Operation[]
  /** Charges a call to its address. */
  charge: (call: Call) => Promise<void>
  /** True if GraphiQL is served. */
  graphiql: boolean
  /** Documents that other parts of the service bring. */
  extra?: StaticFiles
  /** The folder of the files that were made when the packages were installed. */
  folder?: string | undefined
}

/** Serves the documents to anyone. */
export function documentEndpoint({
  operations,
  charge,
  graphiql,
  extra = {},
  folder,
}: DocumentOptions): Endpoint<Call> {
  const pages = new Map<string, Page>(
    Object.entries({ ...indexPages(graphiql), ...operationPages(operations), ...extra }),
  )
  const load = staticFileLoader(folder)

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
        const own = { ...page.headers, 'Content-Type': JSON_TYPE, Vary: 'Accept, Origin' }
        const headers = { ...commonHeaders(call, timings), ...own }
        const meta = { request_id: call.id, timings_ms: timings, warnings: [] }
        return send(res, { status: 200, headers, body: JSON.stringify(envelope({ data: page.data }, meta)) })
      }
      const { body, headers } = await load(path, page, request.headers['accept-encoding'])
      if (page.charged && !isUnmodified(request.headers['if-none-match'], headers.ETag ?? ''))
        await charge(call)
      const common = { ...commonHeaders(call, timingsOf(call)), 'Cache-Control': SCHEMA_CACHE }
      return send(res, { status: 200, headers: { ...common, ...headers }, body })
    },
  }
}
