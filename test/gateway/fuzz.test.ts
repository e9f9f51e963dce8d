import fc from 'fast-check'
import {
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  print,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { BASE_PATH } from '../../src/lib/api.ts'
import { BODY, locationOf } from '../../src/rest/bind.ts'
import type { Operation } from '../../src/schema/operation.ts'
import { published } from '../setup/api.ts'
import { json, raw, request } from '../setup/http.ts'
import { checkResponse } from '../setup/openapi.ts'
import { type Caller, world } from '../setup/world.ts'

const RUNS = { seed: 20_261_121, numRuns: 20, endOnFailure: true }

const { operations, documents } = await published()
const msp = await world()
const callers = [msp.admin, await msp.newKey()]

/** What no answer may show: where the code is, and what it is made of. */
const INSIDE =
  /node_modules|\.ts:\d|\.js:\d|prisma|postgres|pglite|select .* from |\bat \w+.*\(|syntax error at|internal_error/i

const nested = (levels: number): unknown =>
  Array.from({ length: levels }).reduce<unknown>((inner) => ({ a: [inner] }), 'deep')

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    ...[
      '',
      ' ',
      '\0',
      'a\0b',
      '\ud800',
      '\udfff\ud800',
      '%',
      '_',
      '\\',
      "'",
      '";--',
      '$1',
      '../..',
      '%00',
      '%zz',
    ],
    ...[
      '__proto__',
      'constructor',
      'toString',
      'null',
      'true',
      '0',
      '-0',
      '1e400',
      '0x2',
      '2147483648',
      'NaN',
    ],
    ...[
      '2026-02-30',
      '0000-01-01',
      '9999-12-31T23:59:59+14:00',
      '-271821-04-20T00:00:00Z',
      '2026-01-01T24:00:00Z',
    ],
    ...[
      'Europe/London',
      'europe/london',
      '+05:30',
      'localtime',
      'posix/UTC',
      '💥'.repeat(100),
      'é'.repeat(5000),
    ],
  ),
)

const number = fc.oneof(
  fc.constantFrom(0, -0, -1, 1.5, 2 ** 31 - 1, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)

const anything = fc.oneof(
  text,
  number,
  fc.constantFrom(null, true, false, [], {}, [[]], [null], nested(60), 'x'.repeat(20_000)),
  fc.array(text, { maxLength: 3 }),
  fc.constant(JSON.parse('{"__proto__": {"tenant_id": "x"}, "constructor": null}')),
  fc.constant(Array.from({ length: 201 }, (_, i) => i)),
)

/** A value that fits, or nearly fits, the type more often than not. */
function near(type: GraphQLInputType): fc.Arbitrary<unknown> {
  const inner = getNullableType(type)
  if (isListType(inner))
    return fc.oneof({ weight: 4, arbitrary: fc.array(near(inner.ofType), { maxLength: 4 }) }, anything)
  if (isEnumType(inner)) {
    const names = inner.getValues().map(({ name }) => name)
    return fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...names) }, anything)
  }
  if (isInputObjectType(inner)) {
    const fields = Object.values(inner.getFields()).map(({ name, type: of }) => [name, near(of)] as const)
    const fitting = fc.record(Object.fromEntries(fields), { requiredKeys: [] })
    return fc.oneof({ weight: 6, arbitrary: fitting }, anything)
  }
  const { json_schema } = inner.extensions as { json_schema?: { type?: string } }
  const isNumber = json_schema?.type === 'integer' || inner.name === 'Int'
  const fitting = isNumber
    ? fc.integer({ min: -2, max: 250 })
    : inner.name === 'Boolean'
      ? fc.boolean()
      : text
  return fc.oneof({ weight: 3, arbitrary: fitting }, anything)
}

/** Arguments of the operation: those it needs, and others now and then. */
function argumentsOf({ field }: Operation): fc.Arbitrary<Record<string, unknown>> {
  const all = field.args.map(({ name, type }) => [name, near(type)] as const)
  const requiredKeys = field.args.filter(({ type }) => isNonNullType(type)).map(({ name }) => name)
  return fc.record(Object.fromEntries(all), { requiredKeys })
}

const inPath = (value: unknown): string => {
  const shown = (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
    .toWellFormed()
    .slice(0, 1500)
  // A path without the parameter would be another path.
  return shown === '' || /^\.{1,2}$/.test(shown) ? '%00' : encodeURIComponent(shown)
}

function restUrl(operation: Operation, args: Record<string, unknown>): string {
  let path = operation.rest.path
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(args)) {
    const location = locationOf(operation, name)
    if (location === 'path') path = path.replace(`{${name}}`, () => inPath(value))
    const values = Array.isArray(value) ? value : [value]
    if (location === 'query')
      for (const item of values) query.append(name, String(item).toWellFormed().slice(0, 1500))
  }
  return `${BASE_PATH}${path}?${query}`.slice(0, 6000)
}

const named = (operation: Operation) => [operation.name, operation] as const

describe('Whatever is sent to', () => {
  it.each(operations.map(named))(
    '%s over REST, the answer is one of the published ones',
    async (_name, operation) => {
      await fc.assert(
        fc.asyncProperty(argumentsOf(operation), fc.constantFrom(...callers), async (args, caller) => {
          const body = BODY in args ? { body: JSON.stringify(args[BODY]) } : {}
          const headers = BODY in args ? { 'content-type': 'application/json' } : {}
          const init = { method: operation.rest.method, headers, ...body }
          const response = await request(restUrl(operation, args), init, caller)
          const answer = await response.json()
          expect(response.status).toBeLessThan(500)
          checkResponse(operation.name, { status: response.status, headers: response.headers, body: answer })
          if (answer.error) expect(answer.error.message).not.toMatch(INSIDE)
        }),
        RUNS,
      )
    },
  )

  it.each(operations.map(named))(
    '%s by GraphQL, it is an answer or an error of the table',
    async (_name, operation) => {
      const document = documents.get(operation.name)
      if (!document) throw new Error(`${operation.name} has no document`)
      const query = print(document)
      await fc.assert(
        fc.asyncProperty(argumentsOf(operation), fc.constantFrom(...callers), async (variables, caller) => {
          judge(await (await request('/graphql', json({ query, variables }), caller)).json())
        }),
        RUNS,
      )
    },
  )
})

interface GraphqlAnswer {
  errors?: { message: string; extensions: { code: string; status: number } }[]
}

function judge({ errors = [] }: GraphqlAnswer): void {
  for (const { message, extensions } of errors) {
    expect(extensions.status, extensions.code).toBeLessThan(500)
    expect(extensions.status).toBeGreaterThanOrEqual(400)
    expect(message).not.toMatch(INSIDE)
  }
}

/** Literals, in the syntax of GraphQL; some of them are none. */
const literal = fc.oneof(
  fc.constantFrom(
    'null',
    '$x',
    '-0',
    '1e400',
    '99999999999999999999',
    'HUDU',
    '{}',
    '[[]]',
    '{a: {a: {a: 1}}}',
  ),
  fc.constantFrom(
    '"\\u0000"',
    '"\\ud800"',
    '"""\n"""',
    '"\\u{1F4A5}"',
    '__proto__',
    '{__proto__: 1}',
    '{a: 1, a: 2}',
  ),
  text.map((value) => JSON.stringify(value)),
  number.map(String),
)

it('Whatever stands in a GraphQL document, it is an answer or an error of the table', async () => {
  const field = fc.constantFrom(...operations).chain((operation) => {
    const args = operation.field.args.map(({ name }) => fc.tuple(fc.constant(name), literal))
    return fc.tuple(...args).map((given) => {
      const inner = given.map(([name, value]) => `${name}: ${value}`).join(' ')
      return `${operation.kind === 'query' ? '' : 'mutation '}{ ${operation.name}${inner && `(${inner})`} { __typename } }`
    })
  })
  const odd = fc.constantFrom(
    ...[
      '',
      '{',
      '}',
      '{}',
      '#',
      '\ufeff{__typename}',
      '{ __typename @skip(if: $x) }',
      'query ($x: [Int!]! = null) { a }',
    ],
    ...[
      'fragment A on Query { ...A } { ...A }',
      '{ __type(name: "__proto__") { name } }',
      '{ __schema { nope } }',
    ],
    ...[
      '{ ...on Mutation { __typename } }',
      'query A { __typename } query A { __typename }',
      'type A { a: Int }',
    ],
  )
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 5, arbitrary: field }, odd),
      fc.constantFrom(...callers),
      async (query, caller) => {
        judge(await (await request('/graphql', json({ query }), caller)).json())
      },
    ),
    { ...RUNS, numRuns: 300 },
  )
})

it('Whatever the body of a GraphQL request is, it is an answer or an error of the table', async () => {
  const whole = fc.record(
    { query: anything, variables: anything, operationName: anything, extensions: anything, id: anything },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(fc.oneof(whole, anything), async (body) => {
      const response = await request('/graphql', json(JSON.stringify(body)), msp.admin)
      expect(response.status).toBeLessThan(500)
      judge(await response.json())
    }),
    { ...RUNS, numRuns: 100 },
  )
})

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
    const { base } = await import('../setup/app.ts').then(({ testApp }) => testApp())
    for (const path of ['/public-api/settings', '/graphql']) {
      const { connect } = await import('node:net')
      const socket = connect(Number(new URL(base).port), '127.0.0.1')
      const lines = `Host: localhost\r\n${bearer(msp.admin)}\r\nContent-Type: application/json`
      const method = path === '/graphql' ? 'POST' : 'PUT'
      socket.write(`${method} ${path} HTTP/1.1\r\n${lines}\r\nContent-Length: 100\r\n\r\n{"a`)
      await new Promise((done) => setTimeout(done, 50))
      socket.destroy()
    }
    expect((await request('/public-api/health')).status).toBe(200)
  })

  it('whatever a header says, it is an answer of the table', async () => {
    const header = fc.constantFrom(
      ...[
        'Authorization',
        'X-Acting-User',
        'X-Request-Id',
        'If-Match',
        'If-None-Match',
        'Idempotency-Key',
        'Accept',
      ],
      ...[
        'Content-Type',
        'Content-Encoding',
        'Origin',
        'X-Forwarded-For',
        'User-Agent',
        'Content-Length',
        'Cookie',
      ],
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
