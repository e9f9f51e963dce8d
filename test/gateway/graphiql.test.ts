/** The page for exploring the graph in a browser. */
import { createHash } from 'node:crypto'
import { runInNewContext } from 'node:vm'
import { parse, validate } from 'graphql'
import { describe, expect, it } from 'vitest'
import { allAreas } from '../../src/schema/area.ts'
import { published } from '../setup/api.ts'
import { graphql } from '../setup/graphql.ts'
import { request } from '../setup/http.ts'
import { world } from '../setup/world.ts'

const { schema } = await published()
const msp = await world()
const response = await request('/graphql', { headers: { accept: 'text/html' } })
const page = await response.text()

/** The properties that the page gives to GraphiQL. */
const options: { defaultTabs: { query: string }[] } = JSON.parse(
  /'#root'\),\s*(\{.*\}),\s*\);\s*<\/script>/.exec(page.slice(page.lastIndexOf("'#root')")))?.[1] ?? '{}',
)

it('GraphiQL is served to browsers, and loads nothing from elsewhere', () => {
  expect(response.headers.get('content-type')).toMatch(/^text\/html/)
  expect(page).not.toMatch(/<(?:script|link)[^>]+(?:src|href)="https?:/)
})

it('GraphiQL runs its own scripts, and is shown in no frame', () => {
  const policy = response.headers.get('content-security-policy') ?? ''
  const directives = new Map(policy.split('; ').map((one) => [one.split(' ')[0], one.split(' ').slice(1)]))
  expect(directives.get('frame-ancestors')).toEqual(["'none'"])
  expect(directives.get('default-src')).toEqual(["'none'"])
  const scripts = [...page.matchAll(/<script[^>]*>([\s\S]*?)<\/script/g)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  )
  expect(scripts.length).toBeGreaterThan(1)
  expect(directives.get('script-src')).toEqual(scripts)
})

it('GraphiQL is made once, and not sent again to a browser that has it', async () => {
  const etag = response.headers.get('etag') ?? ''
  const headers = { accept: 'text/html', 'if-none-match': etag }
  const again = await request('/graphql', { headers })
  expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
  expect(response.headers.get('cache-control')).toBe('private, max-age=300')
  const started = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed
  const pages = Array.from({ length: 20 }, () => request('/graphql', { headers: { accept: 'text/html' } }))
  for (const { body } of await Promise.all(pages)) await body?.cancel()
  const grown = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed - started
  expect(grown).toBeLessThan(10 * page.length)
})

describe.each(allAreas().map(({ name, example }) => [name, example] as const))(
  'the tab of %s',
  (_name, example) => {
    it('has one operation, so that it is run by one click', async () => {
      expect(parse(example).definitions).toMatchObject([{ kind: 'OperationDefinition', operation: 'query' }])
      const tabs = options.defaultTabs.filter(({ query }) => query.includes(example.trim()))
      expect(tabs).toHaveLength(1)
      expect((await graphql(msp.admin, example)).code).toBeUndefined()
    })

    it('has other operations as comments, which fit the schema too', () => {
      const document = parse(example.replace(/^# ?/gm, ''))
      expect(validate(schema, document)).toEqual([])
    })
  },
)

describe('the credential', () => {
  /** The request that the page's script sends, with this in the one place for it. */
  function sent(value: string, url: string, headers: Record<string, string> = {}): Headers {
    const [, script = ''] =
      /<form id="credential">.*?<script>(.*?)<\/script>\s*<div id="root">/s.exec(page) ?? []
    const element = { value: '', textContent: '', addEventListener() {}, blur() {} }
    const seen: Headers[] = []
    const window = { fetch: (_url: string, init: { headers: Headers }) => seen.push(init.headers) }
    runInNewContext(script, {
      ...{ window, Headers, URL },
      location: new URL('http://service.test/graphql'),
      sessionStorage: { getItem: () => value, setItem() {} },
      document: { querySelector: () => element },
    })
    ;(window.fetch as unknown as (url: string, init: object) => void)(url, { headers })
    return seen[0] ?? new Headers()
  }

  it('is in one place for all tabs, and kept for no longer than the visit', () => {
    expect(options).toMatchObject({ shouldPersistHeaders: false })
    expect(Object.keys(options)).not.toContain('headers')
    for (const tab of options.defaultTabs) expect(Object.keys(tab)).toEqual(['query'])
    expect(page.match(/<form id="credential">/g)).toHaveLength(1)
  })

  it.each(['svc_sk_x', ' Bearer svc_sk_x '])('is sent with every request to the service: %j', (value) => {
    expect(sent(value, '/graphql').get('authorization')).toBe('Bearer svc_sk_x')
    expect(sent(value, 'https://elsewhere.test/').has('authorization')).toBe(false)
  })

  it('is not sent in place of one that the tab has, nor where there is none', () => {
    expect(sent('a', '/graphql', { authorization: 'Bearer b' }).get('authorization')).toBe('Bearer b')
    expect(sent('', '/graphql').has('authorization')).toBe(false)
  })
})
