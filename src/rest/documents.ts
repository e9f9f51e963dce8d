/** The documents beside the operations: the OpenAPI description and the pages that show it. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { ApiError } from '../errors.ts'
import { contentTag } from '../graphql/etag.ts'
import type { Operation } from '../graphql/operation.ts'
import { JSON_TYPE, send } from '../http/answer.ts'
import { commonHeaders, SCHEMA_CACHE, timingsOf } from '../http/headers.ts'
import type { Service } from '../http/server.ts'
import { BASE_PATH } from '../lib/api.ts'
import { openApiDocument } from './openapi/document.ts'
import { ERRORS_POLICY, errorsPage } from './openapi/errors-page.ts'
import { REFERENCE_POLICY, referencePage } from './openapi/reference-page.ts'

interface Page {
  headers: Record<string, string>
  load(): string | Buffer | Promise<string | Buffer>
}

interface Loaded {
  body: string | Buffer
  etag: string
}

const DOCS = `${BASE_PATH}/docs`
const JSON_PATH = `${BASE_PATH}/openapi.json`
const SCRIPT_PATH = `${DOCS}/standalone.js`
const METHODS = ['GET', 'HEAD', 'OPTIONS']

const readReferenceScript = (): Promise<Buffer> => {
  const main = pathToFileURL(createRequire(import.meta.url).resolve('@scalar/api-reference'))
  return readFile(new URL('browser/standalone.js', main))
}

const html = (policy: string): Record<string, string> => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': policy,
  'Referrer-Policy': 'no-referrer',
})

function pagesOf(operations: readonly Operation[]): Record<string, Page> {
  const text = () => JSON.stringify(openApiDocument(operations), null, 2)
  return {
    [JSON_PATH]: { headers: { 'Content-Type': JSON_TYPE }, load: text },
    [`${BASE_PATH}/openapi.yaml`]: {
      headers: { 'Content-Type': 'application/yaml; charset=utf-8' },
      load: async () => (await import('yaml')).stringify(JSON.parse(text()), { lineWidth: 0 }),
    },
    [DOCS]: { headers: html(REFERENCE_POLICY), load: () => referencePage(JSON_PATH, SCRIPT_PATH) },
    [SCRIPT_PATH]: {
      headers: { 'Content-Type': 'text/javascript; charset=utf-8' },
      load: readReferenceScript,
    },
    [`${DOCS}/errors`]: { headers: html(ERRORS_POLICY), load: errorsPage },
  }
}

/** A document of somebody else's. */
interface Extra {
  content_type: string
  body: string
}

const pageOf = ({ content_type, body }: Extra): Page => ({
  headers: { 'Content-Type': content_type, 'Content-Security-Policy': "default-src 'none'" },
  load: () => body,
})

/** Serves the documents, and `extra` ones by their path: to anyone, made when they are first asked for. */
export function documentService(
  operations: readonly Operation[],
  extra: Readonly<Record<string, Extra>> = {},
): Service {
  const extras = Object.entries(extra).map(([path, document]) => [path, pageOf(document)] as const)
  const pages = new Map([...Object.entries(pagesOf(operations)), ...extras])
  const loaded = new Map<string, Promise<Loaded>>()

  async function load(page: Page): Promise<Loaded> {
    const body = await page.load()
    return { body, etag: contentTag(String(body)) }
  }

  function loadOnce(path: string, page: Page): Promise<Loaded> {
    const known = loaded.get(path) ?? load(page)
    loaded.set(path, known)
    known.catch(() => loaded.delete(path))
    return known
  }

  return {
    name: 'documents',
    has: (path) => pages.has(path) || path.startsWith(`${DOCS}/`),
    allowed: (path) => (pages.has(path) ? METHODS : []),
    async handle(req, res, call) {
      const path = (req.url ?? '').split('?', 1)[0] ?? ''
      const page = pages.get(path)
      if (!page) throw new ApiError('not_found')
      if (req.method !== 'GET' && req.method !== 'HEAD') {
        const headers = { Allow: METHODS.join(', ') }
        throw new ApiError('method_not_allowed', { details: { allow: METHODS }, headers })
      }
      const { body, etag } = await loadOnce(path, page)
      const headers = {
        ...commonHeaders(call, timingsOf(call)),
        ...page.headers,
        'Cache-Control': SCHEMA_CACHE,
        ETag: etag,
      }
      send(req, res, { status: 200, headers, body })
    },
  }
}
