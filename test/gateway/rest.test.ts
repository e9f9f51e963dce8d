import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { METHODS } from '../../src/gateway/operation.ts'
import { published } from '../setup/api.ts'
import { json, raw, request } from '../setup/http.ts'
import { world } from '../setup/world.ts'

const SETTINGS = '/public-api/settings'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

const put = (body: unknown, headers: Record<string, string> = {}) => json(body, { method: 'PUT', headers })

describe('a body', () => {
  it.each([
    ['{', 400, 'bad_request'],
    ['[]', 400, 'bad_request'],
    ['"text"', 400, 'bad_request'],
    ['null', 400, 'bad_request'],
    ['5', 400, 'bad_request'],
    ['{"timezone": NaN}', 400, 'bad_request'],
    ['['.repeat(50_000), 400, 'bad_request'],
    ['{"__proto__": {"timezone": "UTC"}, "constructor": 1}', 200, undefined],
    ['', 200, undefined],
    ['{}', 200, undefined],
  ])('%.30s is answered with %i', async (body, status, code) => {
    const msp = await world()
    const response = await request(SETTINGS, put(body), msp.admin)
    const answer = await response.json()
    expect([response.status, answer.error?.code]).toEqual([status, code])
  })

  it('that is not UTF-8 is 400', async () => {
    const msp = await world()
    const init = {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from([0x7b, 0xff, 0x7d]),
    }
    expect((await request(SETTINGS, init, msp.admin)).status).toBe(400)
  })

  it('over 1 MiB is 413, told or counted', async () => {
    const msp = await world()
    const big = JSON.stringify({ human_friendly_client_name: 'x'.repeat(1024 * 1024) })
    const told = await request(SETTINGS, put(big), msp.admin)
    expect([told.status, (await told.json()).error.details.max_bytes]).toEqual([413, 1024 * 1024])
    const stream = new ReadableStream({
      start(controller) {
        for (let sent = 0; sent < 40; sent++) controller.enqueue(Buffer.alloc(32 * 1024, 32))
        controller.close()
      },
    })
    const headers = { 'content-type': 'application/json' }
    const counted = await request(
      SETTINGS,
      { method: 'PUT', headers, body: stream, duplex: 'half' } as never,
      msp.admin,
    )
    expect(counted.status).toBe(413)
  })

  it.each([
    ['text/plain', undefined],
    ['application/x-www-form-urlencoded', undefined],
    ['multipart/form-data; boundary=x', undefined],
    ['application/json; charset=latin1', undefined],
    ['application/json', 'gzip'],
    ['', undefined],
  ])('of type %j and encoding %j is 415', async (type, encoding) => {
    const msp = await world()
    const headers = { 'content-type': type, ...(encoding && { 'content-encoding': encoding }) }
    const response = await request(SETTINGS, { method: 'PUT', headers, body: '{}' }, msp.admin)
    expect([response.status, (await response.json()).error.code]).toEqual([415, 'unsupported_media_type'])
  })

  it('is not replaced or extended by the query', async () => {
    const msp = await world()
    const response = await request(
      `${SETTINGS}?end_business_hours=5&timezone=UTC`,
      put({ end_business_hours: 20 }),
      msp.admin,
    )
    const { data, meta } = await response.json()
    expect(data).toMatchObject({ end_business_hours: 20, timezone: null })
    expect(meta.warnings).toEqual(['ignored_parameter: end_business_hours', 'ignored_parameter: timezone'])
  })

  it('may have unknown fields, which are named', async () => {
    const msp = await world()
    const { meta } = await (await request(SETTINGS, put({ colour: 1, 'a.b': {} }), msp.admin)).json()
    expect(meta.warnings).toEqual(['ignored_field: colour', 'ignored_field: a.b'])
  })
})

describe('a compressed body', () => {
  it.each([SETTINGS, '/graphql'])('is 415 to %s, and is told why', async (path) => {
    const msp = await world()
    const method = path === SETTINGS ? 'PUT' : 'POST'
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const body = gzipSync(JSON.stringify({ query: '{ __typename }' }))
    const response = await request(path, { method, headers, body }, msp.admin)
    expect([response.status, response.headers.get('accept-encoding')]).toEqual([415, 'identity'])
    const answer = await response.json()
    const { code, message, details } = answer.error ?? { ...answer.errors[0], ...answer.errors[0].extensions }
    expect(code).toBe('unsupported_media_type')
    expect(message).toMatch(/no content encoding/)
    expect(details.supported_encodings).toEqual(['identity'])
  })
})

describe('a path', () => {
  it.each([
    '/public-api/nothing',
    '/public-api/settings/',
    '/public-api/settings/more',
    '/PUBLIC-API/settings',
    '//public-api/settings',
    '/public-api/webhook',
    '/public-api/webhook/1',
    '/public-api/%zz',
    '/public-api/..%2fsettings',
    '/nothing',
  ])('%s is 404', async (path) => {
    for (const method of ['GET', 'POST']) {
      const response = await request(path, { method })
      expect([response.status, (await response.json()).error.code]).toEqual([404, 'not_found'])
    }
  })

  it('with another method is 405 and says which it has, before it asks who calls', async () => {
    for (const method of ['POST', 'DELETE', 'PATCH']) {
      const response = await request(SETTINGS, { method })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, PUT, HEAD, OPTIONS'])
    }
  })

  it('that is a name of its own is never an id beside it', async () => {
    const msp = await world()
    const { operations } = await published()
    const literal = operations.map(({ rest }) => rest.path).filter((path) => !path.includes('{'))
    expect(literal).toContain('/api-keys/scopes')
    for (const path of new Set(literal)) {
      const own = METHODS.filter((method) =>
        operations.some(({ rest }) => rest.path === path && rest.method === method),
      )
      const allow = [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
      const encoded = path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
      for (const written of [path, encoded]) {
        const options = await request(`/public-api${written}`, { method: 'OPTIONS' })
        expect([path, options.status, options.headers.get('allow')]).toEqual([path, 204, allow])
        for (const method of METHODS.filter((method) => !own.includes(method))) {
          const response = await request(`/public-api${written}`, { method }, msp.owner)
          const told = [method, path, response.status, response.headers.get('allow')]
          expect(told).toEqual([method, path, 405, allow])
        }
      }
    }
  })

  it('of GraphQL too, in the details as in the header', async () => {
    const response = await request('/graphql', { method: 'DELETE' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST, OPTIONS'])
    expect((await response.json()).error.details.allow).toEqual(['GET', 'POST', 'OPTIONS'])
  })

  it('answers HEAD as GET, without the body', async () => {
    const msp = await world()
    const get = await request(SETTINGS, {}, msp.admin)
    const head = await request(SETTINGS, { method: 'HEAD' }, msp.admin)
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.get('etag')).toBe(get.headers.get('etag'))
  })

  it('answers OPTIONS with its methods', async () => {
    const response = await request(SETTINGS, { method: 'OPTIONS' })
    expect([response.status, response.headers.get('allow')]).toEqual([204, 'GET, PUT, HEAD, OPTIONS'])
    expect((await request('/public-api/nothing', { method: 'OPTIONS' })).status).toBe(404)
  })
})

describe('refusals', () => {
  it('say who is missing before what is wrong', async () => {
    const msp = await world()
    const wrong = put('{"end_business_hours": "x"', { 'content-type': 'text/plain' })
    expect((await request(SETTINGS, wrong)).status).toBe(401)
    expect((await request(SETTINGS, wrong, msp.viewer)).status).toBe(403)
    expect((await request(SETTINGS, wrong, msp.admin)).status).toBe(415)
  })

  it('have the error envelope and nothing of the inside', async () => {
    const response = await request(SETTINGS)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    const { error, meta } = await response.json()
    expect(error.code).toBe('unauthenticated')
    expect(meta.request_id).toMatch(UUID)
  })

  it.each([
    'a b@@:99999',
    'localhost:99999',
    '1.2.3.4.5',
    '256.1.1.1',
    '[::::]',
    '[1:2]',
    '',
    'a\r\nHost: b',
  ])('of the Host %j are 400 for both interfaces', async (host) => {
    for (const target of ['GET /public-api/health', 'GET /graphql?query=%7B__typename%7D']) {
      const answer = await raw(`${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      expect(answer).toMatch(/^HTTP\/1.1 400 .*"bad_request"/s)
    }
  })

  it('of a malformed request line or header are 400', async () => {
    expect(await raw('GET / HTTP/1.1\r\nBad Header\r\n\r\n')).toMatch(/^HTTP\/1.1 400 .*"bad_request"/s)
    const long = await raw(`GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)
    expect(long).toMatch(/^HTTP\/1.1 400 .*"bad_request"/s)
    const [, id = ''] = /^X-Request-Id: (.*)\r$/m.exec(long) ?? []
    expect(id).toMatch(UUID)
    expect(long).toContain(`"request_id":"${id}"`)
    for (const name of ['API-Version', 'Cache-Control', 'RateLimit', 'RateLimit-Policy', 'Server-Timing']) {
      expect(long).toMatch(new RegExp(`^${name}: .+\r$`, 'm'))
    }
  })
})

describe('a header that comes twice', () => {
  const both = ['GET /public-api/settings', 'GET /graphql?query=%7B__typename%7D', 'GET /public-api/health']

  it.each(both)('is 400 to %s if only one can be meant', async (target) => {
    const { token } = (await world()).admin
    const ask = (lines: string[]) =>
      raw(
        `${target} HTTP/1.1\r\nHost: x\r\n${lines.map((line) => `${line}\r\n`).join('')}Connection: close\r\n\r\n`,
      )
    expect(await ask([`Authorization: Bearer ${token}`])).toMatch(/^HTTP\/1.1 200 /)
    const good = `Authorization: Bearer ${token}`
    for (const lines of [
      [good, 'authorization: Bearer other'],
      ['AUTHORIZATION: Bearer other', good],
      [good, good],
      [good, 'Content-Type: application/json', 'content-type: text/plain'],
    ]) {
      const answer = await ask(lines)
      expect(answer).toMatch(/^HTTP\/1.1 400 .*"bad_request"/s)
      expect(answer).toMatch(/"reason":"The (authorization|content-type) header comes more than once\."/i)
      expect(answer).not.toContain(token)
    }
  })
})

describe('headers', () => {
  it('are on every answer', async () => {
    const msp = await world()
    const answers = [
      await request(SETTINGS, {}, msp.admin),
      await request(SETTINGS),
      await request('/public-api/nothing'),
      await request('/graphql', json({ query: '{ __typename }' })),
      await request(SETTINGS, { method: 'HEAD' }, msp.admin),
      await request(SETTINGS, { method: 'OPTIONS' }),
      await request(SETTINGS, { method: 'DELETE' }),
      await request('/graphql', { method: 'OPTIONS' }),
      await request('/nothing'),
    ]
    for (const { headers } of answers) {
      expect(headers.get('x-request-id')).toMatch(UUID)
      expect(headers.get('api-version')).toBe('1.0.0')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('ratelimit-policy')).toMatch(
        /^"(user|ip)";q=\d+;w=60(, "(tenant|points)";q=\d+;w=60)*$/,
      )
      expect(headers.get('ratelimit')).toMatch(/^"(user|ip)";r=\d+;t=\d+(, "(tenant|points)";r=\d+;t=\d+)*$/)
      expect(headers.get('server-timing')).toMatch(/^total;dur=[\d.]+/)
    }
  })

  it('give a client its own request id back, if it is a UUID', async () => {
    const id = '0190a1b2-0000-7000-8000-00000000ABCD'
    const kept = await request(SETTINGS, { headers: { 'x-request-id': id } })
    expect([kept.headers.get('x-request-id'), (await kept.json()).meta.request_id]).toEqual([id, id])
    const replaced = await request(SETTINGS, { headers: { 'x-request-id': 'mine' } })
    expect(replaced.headers.get('x-request-id')).toMatch(UUID)
  })

  it('name no origin that is not in the configuration', async () => {
    const response = await request(SETTINGS, { headers: { origin: 'https://evil.test' } })
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('answer 304 to the tag that is current', async () => {
    const msp = await world()
    const first = await request(SETTINGS, {}, msp.admin)
    const etag = first.headers.get('etag') ?? ''
    const second = await request(SETTINGS, { headers: { 'if-none-match': `"x", W/${etag}` } }, msp.admin)
    expect([second.status, await second.text(), second.headers.get('etag')]).toEqual([304, '', etag])
    await request(SETTINGS, put({ end_business_hours: 20 }), msp.admin)
    expect((await request(SETTINGS, { headers: { 'if-none-match': etag } }, msp.admin)).status).toBe(200)
  })
})

describe('meta', () => {
  it('says where the time went', async () => {
    const msp = await world()
    const { meta } = await (await request(SETTINGS, {}, msp.admin)).json()
    expect(Object.keys(meta)).toEqual(['request_id', 'timings_ms'])
    expect(meta.timings_ms).toEqual({
      total: expect.any(Number),
      auth: expect.any(Number),
      db: expect.any(Number),
    })
  })
})
