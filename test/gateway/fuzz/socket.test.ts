import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { raw, request } from '../../setup/http.ts'
import type { Caller } from '../../setup/world.ts'
import { INSIDE, msp, RUNS } from './values.ts'

const bearer = ({ token }: Caller) => `Authorization: Bearer ${token}`
const HOST = 'Host: localhost\r\nConnection: close'

describe('On the socket,', () => {
  const answered = async (bytes: string) => {
    const answer = await raw(bytes)
    const [head = '', body = ''] = answer.split(/\r\n\r\n(.*)/s)
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1])
    return { status, head, body }
  }

  it.each([
    [
      'two lengths',
      `PUT /public-api/settings HTTP/1.1\r\n${HOST}\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      400,
    ],
    [
      'a length and chunks',
      `PUT /public-api/settings HTTP/1.1\r\n${HOST}\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [
      'chunks that are none',
      `POST /graphql HTTP/1.1\r\n${HOST}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      400,
    ],
    [
      'a space before the colon',
      `GET /public-api/health HTTP/1.1\r\n${HOST}\r\nX-Request-Id : 1\r\n\r\n`,
      400,
    ],
    ['a folded header', `GET /public-api/health HTTP/1.1\r\n${HOST}\r\nX: a\r\n b\r\n\r\n`, 400],
    ['a NUL in a header', `GET /public-api/health HTTP/1.1\r\n${HOST}\r\nX: a\0b\r\n\r\n`, 400],
    ['a bare CR', `GET /public-api/health HTTP/1.1\r\n${HOST}\r\nX: a\rY: b\r\n\r\n`, 400],
    ['another version', `GET /public-api/health HTTP/3.0\r\n${HOST}\r\n\r\n`, 400],
    ['no version', 'GET /public-api/health\r\n\r\n', 400],
    ['no Host', 'GET /public-api/health HTTP/1.0\r\n\r\n', 400],
    ['a target that is no path', `GET public-api/health HTTP/1.1\r\n${HOST}\r\n\r\n`, 400],
    ['an absolute target', `GET http://elsewhere.test/public-api/settings HTTP/1.1\r\n${HOST}\r\n\r\n`, 404],
    ['an asterisk', `OPTIONS * HTTP/1.1\r\n${HOST}\r\n\r\n`, 404],
    ['TRACE', `TRACE /public-api/health HTTP/1.1\r\n${HOST}\r\n\r\n`, 405],
    ['PROPFIND', `PROPFIND /public-api/health HTTP/1.1\r\n${HOST}\r\n\r\n`, 405],
    ['TRACE of GraphQL', `TRACE /graphql HTTP/1.1\r\n${HOST}\r\n\r\n`, 405],
    ['a method nobody knows', `BREW /public-api/health HTTP/1.1\r\n${HOST}\r\n\r\n`, 400],
    [
      'an upgrade',
      'GET /public-api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close, Upgrade\r\nUpgrade: h2c\r\n\r\n',
      200,
    ],
    ['another expectation', `GET /public-api/health HTTP/1.1\r\n${HOST}\r\nExpect: a miracle\r\n\r\n`, 200],
    [
      'headers without end',
      `GET /public-api/health HTTP/1.1\r\n${HOST}\r\n${'X: y\r\n'.repeat(5000)}\r\n`,
      400,
    ],
    ['a target without end', `GET /public-api/${'x'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n\r\n`, 400],
    [
      'two credentials',
      `GET /public-api/settings HTTP/1.1\r\n${HOST}\r\nAuthorization: Bearer a\r\n${bearer(msp.key)}\r\n\r\n`,
      400,
    ],
    [
      'two Idempotency-Keys',
      `PUT /public-api/settings HTTP/1.1\r\n${HOST}\r\n${bearer(msp.key)}\r\nIdempotency-Key: a\r\nIdempotency-Key: b\r\n\r\n`,
      400,
    ],
  ])('%s are answered with JSON and the right status', async (_what, bytes, expected) => {
    const { status, head, body } = await answered(bytes)
    expect(status, head).toBe(expected)
    expect(body).toMatch(/"(?:code|data)":/)
    expect(body).not.toMatch(INSIDE)
  })

  it('requests that follow each other are answered in their order', async () => {
    const one = (path: string, more = 'Host: localhost') => `GET ${path} HTTP/1.1\r\n${more}\r\n\r\n`
    const answer = await raw(
      one('/public-api/health') + one('/public-api/nothing') + one('/public-api/settings', HOST),
    )
    expect([...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)).toEqual([
      '200',
      '404',
      '401',
    ])
  })

  it('a body may wait to be asked for, and one that ends early does no harm', async () => {
    const head = `PUT /public-api/settings HTTP/1.1\r\n${HOST}\r\n${bearer(msp.admin)}\r\nContent-Type: application/json\r\n`
    expect(await raw(`${head}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`)).toMatch(
      /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /,
    )
    const { base } = await import('../../setup/app.ts').then(({ testApp }) => testApp())
    for (const path of ['/public-api/settings', '/graphql']) {
      const { connect } = await import('node:net')
      const socket = connect(Number(new URL(base).port), '127.0.0.1')
      const lines = `Host: localhost\r\n${bearer(msp.admin)}\r\nContent-Type: application/json`
      const method = path === '/graphql' ? 'POST' : 'PUT'
      socket.write(`${method} ${path} HTTP/1.1\r\n${lines}\r\nContent-Length: 100\r\n\r\n{"a`)
      await sleep(50)
      socket.destroy()
    }
    expect((await request('/public-api/health')).status).toBe(200)
  })

  it('whatever a header says, it is an answer of the table', async () => {
    const header = fc.constantFrom(
      'Authorization',
      'X-Acting-User',
      'X-Request-Id',
      'If-Match',
      'If-None-Match',
      'Idempotency-Key',
      'Accept',
      'Content-Type',
      'Content-Encoding',
      'Origin',
      'X-Forwarded-For',
      'User-Agent',
      'Content-Length',
      'Cookie',
    )
    const value = fc.stringMatching(/^[\x20-\x7e\x80-\xff]{0,60}$/)
    const target = fc.constantFrom(
      'GET /public-api/settings',
      'PUT /public-api/settings',
      'GET /graphql?query=%7B__typename%7D',
    )
    await fc.assert(
      fc.asyncProperty(target, fc.array(fc.tuple(header, value), { maxLength: 4 }), async (line, headers) => {
        const lines = headers.map(([name, given]) => `${name}: ${given}`).join('\r\n')
        const more = headers.some(([name]) => name === 'Authorization') ? '' : `${bearer(msp.admin)}\r\n`
        const { status, body } = await answered(
          `${line} HTTP/1.1\r\n${HOST}\r\n${more}${lines}${lines && '\r\n'}\r\n`,
        )
        expect(status).toBeGreaterThanOrEqual(200)
        expect(status).toBeLessThan(500)
        expect(body).not.toMatch(INSIDE)
      }),
      { ...RUNS, numRuns: 100 },
    )
  })
})
