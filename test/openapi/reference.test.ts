/** The REST reference: what can be told of it without a browser. */
import { readFile } from 'node:fs/promises'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { openApiDocument } from '../../src/rest/openapi/document.ts'
import type { Json } from '../../src/rest/openapi/json.ts'
import { REFERENCE_POLICY, referencePage } from '../../src/rest/openapi/reference-page.ts'
import { builtSchemas } from '../setup/app.ts'

const document = openApiDocument(builtSchemas().operations)
const files = { style: '/s.css', script: '/s.js', document: '/openapi.json', errors: '/errors' }
const page = referencePage(document, files)

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

/** The part of the page for an operation. */
function partOf(operation_id: unknown): string {
  const start = page.indexOf(`<details class="operation" id="${operation_id}">`)
  const next = page.indexOf('<details class="operation"', start + 1)
  return start === -1 ? '' : page.slice(start, next === -1 ? page.indexOf('id="types"') : next)
}

const decoded = (html: string): string =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

describe.each(operations)('$method $path', ({ path, method, operation }) => {
  const part = partOf(operation.operationId)
  const summary = part.slice(0, part.indexOf('</summary>'))

  test('is found by its path and by what it does, without being opened', () => {
    expect(summary).toContain(`>${method.toUpperCase()}</span> <code>${path}</code>`)
    const text = decoded(summary.replace(/<[^>]*>/g, ''))
    expect(text).toContain(String(operation.summary).replaceAll('`', ''))
  })

  test('has a field for each parameter and for the body, and every answer', () => {
    const names = (operation.parameters as Json[]).map((given) => {
      const { $ref } = given
      const parameter = $ref ? document.components.parameters?.[String($ref).split('/').at(-1) ?? ''] : given
      return `${parameter?.in}:${parameter?.name}`
    })
    const fields = [...part.matchAll(/<(?:input|textarea) [^>]*name="([^"]*)"/g)].map(([, name]) => name)
    expect(fields).toEqual([...names, ...(operation.requestBody ? ['body'] : [])])
    for (const status of Object.keys(operation.responses as Json))
      expect(part).toContain(`<dt>${status}</dt>`)
  })
})

test('every link within the page has its target, and no two targets are one', () => {
  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const targets = [...page.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id)
  expect(targets.filter((id) => !ids.includes(id))).toEqual([])
})

test('nothing runs that is not in the script of the page, and nothing is loaded from elsewhere', () => {
  const loaded = [...page.matchAll(/<(?:script|link|img|iframe)\b[^>]*>/g)].map(([tag]) => tag)
  expect(loaded).toEqual([
    '<link rel="icon" href="data:,">',
    '<link rel="stylesheet" href="/s.css">',
    '<script src="/s.js">',
  ])
  expect(page).not.toMatch(/<[^>]* (?:on\w+|style)=/)
  expect(REFERENCE_POLICY).not.toMatch(/unsafe|\*|http/)
})

test('a sentence that is summary and begins the description is shown once', () => {
  const [path = '', methods = {}] = Object.entries(document.paths)[0] ?? []
  const paths = Object.fromEntries(
    Object.entries(methods).map(([method, operation]) => [
      method,
      { ...operation, summary: 'Does it.', description: 'Does it. Then more.' },
    ]),
  )
  const made = referencePage({ ...document, paths: { [path]: paths } }, files)
  expect(made.match(/Does it\./g)).toHaveLength(Object.keys(methods).length)
  expect(made).toContain('<p>Then more.</p>')
})

test('the text of the document is text', () => {
  const [path = '', methods = {}] = Object.entries(document.paths)[0] ?? []
  const hostile = '<script>alert(1)</script> <b onclick="x">`<i>`</b>'
  const paths = Object.fromEntries(
    Object.entries(methods).map(([method, operation]) => [
      method,
      { ...operation, summary: hostile, description: hostile },
    ]),
  )
  const made = referencePage({ ...document, paths: { [path]: paths } }, files)
  expect(made.match(/<(?:script|b|i)\b/g)).toEqual(['<script'])
})

describe('a call from the page', () => {
  /** The request that a form with these fields makes. */
  async function called(
    form: { method: string; path: string },
    fields: [string, string][],
    credential = '',
  ): Promise<{ url: string; init: RequestInit & { headers: Headers } }> {
    const script = await readFile(new URL('../../src/pages/reference.js', import.meta.url), 'utf8')
    let submit = async (_event: object): Promise<void> => {}
    let sent: unknown
    const element = () => ({ addEventListener() {}, blur() {}, replaceChildren() {} })
    runInNewContext(script, {
      Headers,
      URLSearchParams,
      performance,
      decodeURIComponent,
      encodeURIComponent,
      FormData: class {
        *[Symbol.iterator]() {
          yield* fields
        }
      },
      sessionStorage: { getItem: () => credential, setItem() {} },
      location: { hash: '' },
      addEventListener() {},
      document: {
        querySelector: element,
        createElement: element,
        getElementById: () => null,
        addEventListener(_name: string, listener: typeof submit) {
          submit = listener
        },
      },
      fetch: async (url: string, init: object) => {
        sent = { url, init }
        return new Response('{}')
      },
    })
    await submit({ preventDefault() {}, target: { dataset: form, querySelector: element } })
    return sent as Awaited<ReturnType<typeof called>>
  }

  test('has its parameters where they belong, and leaves out what is empty', async () => {
    const { url, init } = await called({ method: 'POST', path: '/public-api/a/{id}/b/{name}' }, [
      ['path:id', 'a/b'],
      ['path:name', 'ü'],
      ['query:page_size', '2'],
      ['query:search', 'a&b'],
      ['query:cursor', ''],
      ['header:If-Match', '"3"'],
      ['header:X-Acting-User', ' '],
      ['body', '{"a":1}'],
    ])
    expect(url).toBe('/public-api/a/a%2Fb/b/%C3%BC?page_size=2&search=a%26b')
    expect(init).toMatchObject({ method: 'POST', body: '{"a":1}' })
    expect([...init.headers]).toEqual([
      ['content-type', 'application/json'],
      ['if-match', '"3"'],
    ])
  })

  test('carries the credential, and no body if there is none', async () => {
    for (const credential of ['svc_sk_x', ' Bearer svc_sk_x ']) {
      const { url, init } = await called({ method: 'GET', path: '/public-api/settings' }, [], credential)
      expect([url, init.body]).toEqual(['/public-api/settings', undefined])
      expect([...init.headers]).toEqual([['authorization', 'Bearer svc_sk_x']])
    }
  })
})
