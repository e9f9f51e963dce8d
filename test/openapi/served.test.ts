import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { ERRORS } from '../../src/errors/errors.ts'
import { testApp } from '../setup/app.ts'

async function get(path: string, options: RequestInit = {}): Promise<Response> {
  const { base } = await testApp()
  return await fetch(`${base}/public-api${path}`, options)
}

const PATHS = [
  '/openapi.json',
  '/openapi.yaml',
  '/docs',
  '/docs/errors',
  '/docs/reference.css',
  '/docs/reference.js',
]

describe.each(PATHS)('%s', (path) => {
  test('is there for anyone, and may be kept', async () => {
    const response = await get(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('private, max-age=300')
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(response.headers.get('api-version')).toBe('1.0.0')
    await response.arrayBuffer()
  })

  test('is not sent again to who has it', async () => {
    const etag = (await get(path, { method: 'HEAD' })).headers.get('etag') ?? ''
    const response = await get(path, { headers: { 'if-none-match': etag } })
    expect(response.status).toBe(304)
    expect(await response.text()).toBe('')
  })

  test('takes only GET and HEAD', async () => {
    const response = await get(path, { method: 'POST' })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    expect((await response.json()).error.code).toBe('method_not_allowed')
  })
})

test('the document is the published one, without its white space', async () => {
  const published = await readFile(new URL('../../openapi.json', import.meta.url), 'utf8')
  const served = await (await get('/openapi.json')).text()
  expect(served === JSON.stringify(JSON.parse(published)), 'npm run publish-schema writes it').toBe(true)
})

test('YAML and JSON are the same document', async () => {
  const yaml = parse(await (await get('/openapi.yaml')).text())
  expect(yaml).toEqual(await (await get('/openapi.json')).json())
})

test.each([
  '/docs/nothing',
  '/docs/../../package.json',
  '/docs/%2e%2e/%2e%2e/package.json',
  '/docs/reference.js/',
  '/docs/graphiql.js',
])('%s is nothing', async (path) => {
  const response = await get(path)
  expect(response.status).toBe(404)
  expect((await response.json()).error.code).toBe('not_found')
})

test('the pages load nothing from elsewhere', async () => {
  for (const path of ['/docs', '/docs/errors']) {
    const response = await get(path)
    const page = await response.text()
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(response.headers.get('content-security-policy')).not.toContain('unsafe')
    expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
    expect(page).not.toMatch(/<script(?![^>]*(?:src|data-url)=)/)
  }
})

test('every error code has its anchor on the page of errors', async () => {
  const page = await (await get('/docs/errors')).text()
  const anchors = [...page.matchAll(/<section id="(\w+)">/g)].map(([, id]) => id)
  expect(anchors.sort()).toEqual(Object.keys(ERRORS).sort())
})
