import fc from 'fast-check'
import { expect, it } from 'vitest'
import { json, request } from '../../setup/http.ts'
import { anything, callers, judge, msp, number, operations, RUNS, text } from './values.ts'

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
    '',
    '{',
    '}',
    '{}',
    '#',
    '\ufeff{__typename}',
    '{ __typename @skip(if: $x) }',
    'query ($x: [Int!]! = null) { a }',
    'fragment A on Query { ...A } { ...A }',
    '{ __type(name: "__proto__") { name } }',
    '{ __schema { nope } }',
    '{ ...on Mutation { __typename } }',
    'query A { __typename } query A { __typename }',
    'type A { a: Int }',
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
