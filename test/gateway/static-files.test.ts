/** Pages, scripts and documents that are the same for every caller. */
import { request as ask, type IncomingHttpHeaders } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { STYLES } from '../../src/composition/styles.ts'
import { graphiqlFiles } from '../../src/graphql/graphiql.ts'
import { encodingFor } from '../../src/http/static-files.ts'
import { operationPages } from '../../src/rest/documentation.ts'
import { builtSchemas, testApp } from '../setup/app.ts'

interface Answer {
  status: number | undefined
  headers: IncomingHttpHeaders
  body: Buffer
}

/** The answer as it is on the wire. */
async function wire(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const { base } = await testApp()
  return await new Promise((done, fail) => {
    const req = ask(base + path, { method, headers: { accept: 'text/html', ...headers } }, (res) => {
      res
        .toArray()
        .then((chunks) => done({ status: res.statusCode, headers: res.headers, body: Buffer.concat(chunks) }))
        .catch(fail)
    })
    req.once('error', fail).end()
  })
}

const MADE_AHEAD = Object.keys({
  ...operationPages(builtSchemas().operations),
  ...graphiqlFiles(),
  ...STYLES,
})
const PATHS = ['/', '/public-api', '/public-api/integrations/it-glue/logo.svg', ...MADE_AHEAD]

const DECODERS = { br: brotliDecompressSync, gzip: gunzipSync }

describe.each(PATHS)('%s', (path) => {
  test.each(['br', 'gzip'] as const)('is the same in %s', async (encoding) => {
    const plain = await wire(path)
    const encoded = await wire(path, { 'accept-encoding': encoding })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(encoded.headers['content-encoding']).toBe(encoding)
    expect(DECODERS[encoding](encoded.body).equals(plain.body)).toBe(true)
    expect(encoded.body.length).toBeLessThan(plain.body.length)
    expect(encoded.headers['content-type']).toBe(plain.headers['content-type'])
    expect(encoded.headers.etag).not.toBe(plain.headers.etag)
    for (const { headers } of [plain, encoded]) expect(headers.vary).toMatch(/^Accept-Encoding, Origin/)
  })

  test('is told to HEAD, and not sent again to who has it', async () => {
    const got = await wire(path, { 'accept-encoding': 'br' })
    const told = await wire(path, { 'accept-encoding': 'br' }, 'HEAD')
    expect([told.status, told.body.length]).toEqual([200, 0])
    for (const name of ['content-encoding', 'content-length', 'etag', 'vary'])
      expect(told.headers[name]).toBe(got.headers[name])
    const again = await wire(path, { 'accept-encoding': 'br', 'if-none-match': got.headers.etag ?? '' })
    expect([again.status, again.body.length, again.headers.vary]).toEqual([304, 0, got.headers.vary])
    const other = await wire(path, { 'if-none-match': got.headers.etag ?? '' })
    expect(other.status).toBe(200)
  })
})

test('megabytes are no megabytes on the wire', async () => {
  const sizes = await Promise.all(
    MADE_AHEAD.map(
      async (path) => (await wire(path, { 'accept-encoding': 'gzip, deflate, br' })).body.length,
    ),
  )
  expect(Math.max(...sizes)).toBeLessThan(1.5 * 1024 * 1024)
  expect((await wire('/public-api/openapi.json', { 'accept-encoding': 'br' })).body.length).toBeLessThan(
    130_000,
  )
})

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip;q=1, br;q=0.5', 'gzip'],
  ['gzip;q=0.2, br; q=0.8', 'br'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0, gzip;q=0', 'identity'],
  ['*', 'br'],
  ['*, br;q=0', 'gzip'],
  ['*;q=0', 'identity'],
  ['*;q=0, gzip', 'gzip'],
  ['identity', 'identity'],
  ['identity;q=0.5, gzip;q=0.4', 'identity'],
  ['identity;q=0.5, gzip;q=0.6', 'gzip'],
  ['deflate, zstd', 'identity'],
  ['brotli, gzips', 'identity'],
  ['br;q=much', 'identity'],
  [', ;q=1, ,', 'identity'],
])('Accept-Encoding %j: %s', (accept_encoding, encoding) => {
  expect(encodingFor(accept_encoding)).toBe(encoding)
})
