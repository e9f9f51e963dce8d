/**
 * Another tenant, and another environment of the same tenant, by every operation. Whatever says that something is not
 * found has a positive control: its owner does find it, by the same question.
 */
import { getNamedType } from 'graphql'
import { describe, expect, it } from 'vitest'
import type { Operation } from '../src/gateway/operation.ts'
import { type Answer, type Api, apis, isForCallers, published } from './setup/api.ts'
import { graphql } from './setup/graphql.ts'
import { argumentsOf, CATALOGUE_PATHS, pathParameters } from './setup/samples.ts'
import { subscribe } from './setup/streams.ts'
import { AREAS, together } from './setup/suites/areas.ts'
import type { OwnRows } from './setup/suites/own.ts'
import { ownRows } from './setup/suites/own-rows.ts'
import { fieldsOf, isRelation, leaves, relationsFrom } from './setup/walks.ts'
import { type Caller, type Msp, world } from './setup/world.ts'

const { operations, schema, subscriptions } = await published()
const [msp, twin, stranger, control] = [await world(), await world(), await world(), await world()]
const ELSEWHERE = { environment: 'elsewhere' }

/** Ids that nobody else has: of the first tenant here and elsewhere, of the control. */
const mine = await ownRows(msp)
const elsewhere = await ownRows(msp, ELSEWHERE)
const controlled = await ownRows(control)

/** The same ids in two tenants, and in another environment of each. */
const alike = await ownRows(twin, { same: true })
const strangers = await ownRows(stranger, { same: true })
const foreign = [
  mine,
  elsewhere,
  alike,
  await ownRows(twin, { ...ELSEWHERE, same: true }),
  await ownRows(stranger, { ...ELSEWHERE, same: true }),
]

const byId = operations.filter(
  (operation) =>
    isForCallers(operation) &&
    pathParameters(operation).length > 0 &&
    !CATALOGUE_PATHS.some((catalogue) => operation.rest.path.startsWith(catalogue)),
)
const queries = operations.filter(({ kind }) => kind === 'query')

/** Ids that no database keeps as they are. */
const NO_TEXTS = ['a\u0000b', '\ud800']

/** Ids that nothing has, of which a path may be read as another one. */
const HOSTILE = ['nothing', ...NO_TEXTS, 'x'.repeat(500), '1e400', '\uffff', ' ', '%00', '../x']

const SHOWN_BY = together(({ shown_by }) => shown_by)

const SHOWN_WITH = together(({ shown_with }) => shown_with)

const saysNothing = (name: string): boolean => SHOWN_BY[name] === 'nothing'

/** Operations that no key or user may call: the tests of their area try them. */
const FOR_OTHERS = operations.filter((operation) => !isForCallers(operation)).map(({ name }) => name)

const HOW_TO_SHOW =
  'The answer does not show whose rows it has. In test/areas/<area>/suites.ts of the operation let own_rows add a row with ' +
  '`mark` in a text that the answer has; if it has none, add to shown_by what shows it.'
const shownIn = (name: string, { mark, number }: OwnRows): string =>
  SHOWN_BY[name] === 'number' ? String(number) : mark

const told = ({ status, error }: Answer): unknown => ({
  status,
  error: error && { ...error, details: { ...error.details, id: typeof error.details.id } },
})

const ask = (api: Api, caller: Caller, operation: Operation, { ids }: OwnRows): Promise<Answer> =>
  api.call(caller, operation.name, { ...argumentsOf(operation, ids), ...SHOWN_WITH[operation.name] })

const each = (some: readonly Operation[]) => some.map((operation) => [operation.name, operation] as const)

describe.each(apis)('through $name,', (api) => {
  it.each(each(byId))(
    '%s of another tenant’s id, or another environment’s, answers as of no id',
    async (_name, operation) => {
      const unknown = pathParameters(operation).filter((name) => !(name in mine.ids))
      expect(
        unknown,
        `own_rows in test/areas/<area>/suites.ts of ${operation.name} answers with no ids for these`,
      ).toEqual([])
      const theirs = await ask(api, stranger.owner, operation, mine)
      expect(theirs.status).toBe(404)
      expect(told(await ask(api, msp.owner, operation, elsewhere))).toEqual(told(theirs))
      const nothing = (id: string) => {
        // The first parameter names the resource; a number after it is a part of the resource.
        const named = pathParameters(operation)
          .slice(0, 1)
          .map((name) => [name, id])
        const args = { ...argumentsOf(operation, {}), ...Object.fromEntries(named) }
        return api.call(stranger.owner, operation.name, args)
      }
      // In GraphQL the number of something is an Int, which no text is.
      const isNumber = operation.field.args.some(({ type }) => String(type) === 'Int!')
      const hostile = api.name === 'rest' ? HOSTILE : isNumber ? [] : NO_TEXTS
      for (const id of hostile) {
        const answer = await nothing(id)
        expect(told(answer), JSON.stringify(id)).toEqual(told(theirs))
        const shown = id.slice(0, 200).toWellFormed().replaceAll('\0', '\ufffd')
        expect(answer.error?.details.id).toBe(shown)
      }
      // A deletion has a tenant of its own: the other operations find the row of the control.
      const owner = operation.rest.method === 'DELETE' ? await world() : control
      const owned = owner === control ? controlled : await ownRows(owner)
      expect((await ask(api, owner.owner, operation, owned)).status, 'its owner').not.toBe(404)
    },
  )

  it.each(each(queries.filter(({ name }) => !saysNothing(name) && !FOR_OTHERS.includes(name))))(
    '%s answers with the caller’s rows, and with nobody else’s of the same ids',
    async (name, operation) => {
      const { status, data } = await ask(api, stranger.owner, operation, strangers)
      const text = JSON.stringify(data)
      expect([status, text], HOW_TO_SHOW).toEqual([200, expect.stringContaining(shownIn(name, strangers))])
      for (const others of foreign) expect(text).not.toContain(shownIn(name, others))
      const owner = JSON.stringify((await ask(api, twin.owner, operation, alike)).data)
      expect(owner).toContain(shownIn(name, alike))
    },
  )
})

const NOT_WALKED = Object.values(AREAS).flatMap(({ not_walked = [] }) => not_walked)

const relationIn = (name: string): string => name.split(' to ')[1] ?? ''

describe('a relation that only GraphQL has', () => {
  const relationsOf = ({ ids }: OwnRows) =>
    queries
      .flatMap((operation) => relationsFrom(schema, operation, ids))
      .filter(({ name }) => !NOT_WALKED.includes(relationIn(name)))
  const relations = relationsOf(strangers)
  const of_twin = new Map(relationsOf(alike).map(({ name, query }) => [name, query]))

  it('is walked below, whichever there is', () => {
    const walked = new Set(relations.map(({ name }) => relationIn(name)))
    const all = Object.values(schema.getTypeMap()).flatMap((type) =>
      fieldsOf(type)
        .filter(isRelation)
        .map(({ name }) => `${type.name}.${name}`),
    )
    expect(all.length).toBeGreaterThan(2)
    expect([...walked, ...NOT_WALKED].sort()).toEqual(all.sort())
  })

  it.each(relations.map(({ name, query }) => [name, query] as const))(
    '%s stays with the caller',
    async (name, query) => {
      const { data, code } = await graphql(stranger.owner, query)
      const text = JSON.stringify(data)
      expect([code, text]).toEqual([undefined, expect.stringContaining(strangers.mark)])
      for (const { mark } of foreign) expect(text).not.toContain(mark)
      expect(JSON.stringify((await graphql(twin.owner, of_twin.get(name) ?? query)).data)).toContain(
        alike.mark,
      )
    },
  )
})

/** Changes everything that subscribers are told of, in every environment of the tenant. */
async function changeAll(tenant: Msp): Promise<void> {
  for (const { change_followed } of Object.values(AREAS)) await change_followed?.(tenant)
}

describe('a subscription', () => {
  it.each(subscriptions.map(({ name, field }) => [name, field] as const))(
    '%s tells of the caller’s rows, and of nobody else’s of the same ids',
    async (name, field) => {
      const query = `subscription { ${name} ${leaves(getNamedType(field.type))} }`
      const [own, other] = [await subscribe(stranger.owner, query), await subscribe(twin.owner, query)]
      for (const tenant of [msp, twin, stranger, control]) await changeAll(tenant)
      await Promise.all([own.reaches(1), other.reaches(1)])
      // A later commit is told later.
      const before = own.updates().length
      await changeAll(stranger)
      await own.reaches(before + 1)
      const text = JSON.stringify(own.updates())
      expect([own.code(), text]).toEqual([undefined, expect.stringContaining(strangers.mark)])
      for (const { mark } of foreign) expect(text).not.toContain(mark)
      expect(JSON.stringify(other.updates())).toContain(alike.mark)
    },
  )
})
