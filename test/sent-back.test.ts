/**
 * Whatever GET answers with can be sent back by PUT or PATCH: that is answered with 200, and changes nothing. REST is sent
 * the whole of it, of which it ignores what the body does not declare; GraphQL is sent what the input declares.
 */
import fc from 'fast-check'
import { type GraphQLInputType, getNullableType, isInputObjectType, isListType } from 'graphql'
import { expect, it, test } from 'vitest'
import type { Operation } from '../src/gateway/operation.ts'
import { type Api, describeApi, published } from './setup/api.ts'
import { clock } from './setup/app.ts'
import { countActivities } from './setup/audit-log.ts'
import { idFor, pathParameters } from './setup/samples.ts'
import { together } from './setup/suites/areas.ts'
import { ownRows } from './setup/suites/own-rows.ts'
import type { SentBack } from './setup/suites/sent-back.ts'
import { world } from './setup/world.ts'

const { operations } = await published()
const SHAPES = together(({ sent_back }) => sent_back)

const readOf = ({ name, rest }: Operation): Operation | undefined =>
  operations.find(
    (one) =>
      one.kind === 'query' &&
      (SHAPES[name]?.read ? one.name === SHAPES[name].read : one.rest.path === rest.path),
  )
const writes = operations.filter(
  (operation) => ['PUT', 'PATCH'].includes(operation.rest.method) && readOf(operation),
)

/** The part of the value that the input type declares. */
function declared(type: GraphQLInputType, value: unknown): unknown {
  const inner = getNullableType(type)
  if (value === null) return null
  if (isListType(inner)) return (value as unknown[]).map((item) => declared(inner.ofType, item))
  if (!isInputObjectType(inner)) return value
  const fields = Object.values(inner.getFields()).filter(({ name }) => name in (value as object))
  return Object.fromEntries(
    fields.map(({ name, type }) => [name, declared(type, (value as Record<string, unknown>)[name])]),
  )
}

function sentBack(api: Api, { name, field }: Operation, data: object): object {
  const refused = SHAPES[name]?.read_only ?? []
  const body = Object.fromEntries(Object.entries(data).filter(([key]) => !refused.includes(key)))
  const input = field.args.find((arg) => arg.name === 'input')
  return api.name === 'rest' || !input ? body : (declared(input.type, body) as object)
}

test('every body is one of a change of what GET reads', () => {
  const names = writes.map(({ name }) => name)
  expect(names.length).toBeGreaterThan(10)
  expect(Object.keys(SHAPES).filter((name) => !names.includes(name))).toEqual([])
})

describeApi('what was read', (api) => {
  it.each(writes.map((operation) => [operation.name, operation] as const))(
    'can be sent back by %s, which changes nothing',
    async (name, operation) => {
      const shape: Partial<SentBack> = SHAPES[name] ?? {}
      const read = readOf(operation) as Operation
      const msp = await world()
      const rows = await ownRows(msp)
      const ids = Object.fromEntries(
        read.field.args
          .filter(({ name }) => pathParameters(read).includes(name))
          .map((arg) => [arg.name, idFor(arg, rows.ids[arg.name])]),
      )
      const args = shape.args?.(rows) ?? ids
      const path = shape.read && operation.rest.path !== read.rest.path ? {} : args
      const write = (input: object, headers = {}) => api.call(msp.owner, name, { ...path, input }, headers)
      if (!shape.written_first) {
        const { status, error } = await api.call(msp.owner, read.name, args)
        const message = `own_rows of test/areas/<area>/suites.ts has no row that ${read.name} answers with`
        expect([status, error], message).toEqual([200, null])
      }
      const bodies = shape.bodies?.(msp, rows) ?? fc.constant(null)
      await fc.assert(
        fc.asyncProperty(shape.written_first ? bodies : fc.option(bodies), async (body) => {
          if (body) {
            const written = await write(body)
            expect([written.status, written.error]).toEqual([200, null])
          }
          clock.advance(1000)
          const before = await api.call(msp.owner, read.name, args)
          const recorded = await countActivities(msp)
          const again = await write(sentBack(api, operation, before.data), { 'if-match': before.etag ?? '' })
          expect([again.status, again.error]).toEqual([200, null])
          const after = await api.call(msp.owner, read.name, args)
          expect(after.data).toEqual(before.data)
          expect([after.etag, after.data.revision]).toEqual([before.etag, before.data.revision])
          expect(before.data.revision).toBeTypeOf('number')
          expect(await countActivities(msp)).toBe(recorded)
        }),
        { numRuns: 6, examples: shape.written_first ? [] : [[null]] },
      )
    },
  )
})
