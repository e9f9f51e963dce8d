/**
 * The normalised caches of dashboards after each mutation. Of every object that they hold they have what it is now, by
 * the answer of the mutation alone; lists are fetched again.
 */
import { isDeepStrictEqual } from 'node:util'
import { getNamedType, isObjectType, isRequiredArgument, type OperationDefinitionNode, parse } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Operation } from '../../src/gateway/operation.ts'
import { sizeCalculator } from '../../src/graphql/query-cost.ts'
import { KINDS, READS, WRITES } from '../examples/calls.ts'
import { type RunningDemo, startDemo } from '../examples/demo.ts'
import { type Api, type Arguments, apisAt, isForCallers, published } from '../setup/api.ts'
import { type Cached, CLIENTS } from '../setup/cached-clients.ts'
import { isEntity, type Reach, selectionOf } from '../setup/selection.ts'
import { AREAS, linesToAdd, together } from '../setup/suites/areas.ts'
import { resolved } from '../setup/suites/calls.ts'

const FETCHED_AGAIN = together(({ fetched_again }) => fetched_again)
const UNRECORDED = Object.values(AREAS).flatMap(({ unrecorded = [] }) => unrecorded)
const VARYING = Object.values(AREAS).flatMap(({ varying = [] }) => varying)

const { operations: of_rest, schema } = await published()

/** The operations with their GraphQL types, which have what REST leaves out. */
const operations = of_rest.map((operation) => {
  const root = operation.kind === 'query' ? schema.getQueryType() : schema.getMutationType()
  return { ...operation, field: root?.getFields()[operation.name] as Operation['field'] }
})
const mutations = operations.filter(({ kind }) => kind === 'mutation')

/** True for an operation that answers with objects that caches hold: itself, or in a list. */
function hasEntities({ field }: Operation): boolean {
  const type = getNamedType(field.type)
  const parts = isObjectType(type) ? Object.values(type.getFields()).map((one) => getNamedType(one.type)) : []
  return [type, ...parts].some((one) => isObjectType(one) && isEntity(one))
}

const queries = operations.filter(
  (operation) =>
    operation.kind === 'query' &&
    isForCallers(operation) &&
    !VARYING.includes(operation.name) &&
    hasEntities(operation),
)

interface Document {
  name: string
  text: string
  variables: Arguments
}

function documentOf({ name, kind, field }: Operation, variables: Arguments, reach: Reach): Document {
  const given = field.args.filter((arg) => arg.name in variables)
  const declared = given.map((arg) => `$${arg.name}: ${arg.type}`).join(', ')
  const passed = given.map((arg) => `${arg.name}: $${arg.name}`).join(', ')
  const [head, called] = given.length > 0 ? [`${kind}(${declared})`, `${name}(${passed})`] : [kind, name]
  return { name, text: `${head} { ${called} ${selectionOf(field.type, reach)} }`, variables }
}

const MAX_COST = 5000

/** The mutation with as much of its answer as a document may ask for. */
function mutationOf(operation: Operation, variables: Arguments): Document {
  const documents = [2, 1, 0].map((relations) =>
    documentOf(operation, variables, { relations, page_size: 3 }),
  )
  const affordable = documents.find(({ text }) => {
    const document = parse(text)
    const [definition] = document.definitions as OperationDefinitionNode[]
    return sizeCalculator(schema, document, definition as OperationDefinitionNode)({}).cost <= MAX_COST
  })
  return affordable as Document
}

const requiredIn = ({ field }: Operation): string[] =>
  field.args.filter(isRequiredArgument).map(({ name }) => name)

const queryOf = (operation: Operation, variables: Arguments): Document =>
  documentOf(operation, variables, { relations: 0, page_size: null })

/** The dashboard: every query that is about nothing in particular, and of every list the first page. */
const DASHBOARD: readonly Document[] = queries.flatMap((operation) => {
  const required = requiredIn(operation)
  if (required.some((name) => operation.rest.path.includes(`{${name}}`))) return []
  const read = READS[operation.name] ?? {}
  const given = Object.fromEntries(Object.entries(read).filter(([name]) => required.includes(name)))
  return [queryOf(operation, { ...given, ...('page_size' in read && { page_size: 20 }) })]
})

/** The queries about what the mutation names. */
const queriesAbout = (args: Arguments): Document[] => {
  const named: Arguments = { ...args, ...(args.input as object | undefined) }
  return queries.flatMap((operation) => {
    const required = requiredIn(operation)
    if (required.length === 0 || !required.every((name) => name in named)) return []
    return [queryOf(operation, Object.fromEntries(required.map((name) => [name, named[name]])))]
  })
}

// biome-ignore lint/suspicious/noExplicitAny: answers of all operations
type Answer = any
type Entity = Record<string, unknown>

/** The objects in the answer that caches hold, by type and `id`. */
function entitiesIn(value: unknown, found = new Map<string, Entity>()): Map<string, Entity> {
  if (typeof value !== 'object' || value === null) return found
  const { __typename, id } = value as Entity
  if (id !== undefined) found.set(`${__typename}:${id}`, { ...found.get(`${__typename}:${id}`), ...value })
  for (const inner of Object.values(value)) entitiesIn(inner, found)
  return found
}

let demo: RunningDemo
let token: string
const answered = new Map<string, Entity[]>()

/** The answers since the last mutation, by document: all clients are answered alike, and the mutation runs once. */
let answers = new Map<string, Promise<string>>()

const answerOf: typeof fetch = async (url, init) => {
  const { query, variables } = JSON.parse(String(init?.body))
  const key = query.startsWith('mutation')
    ? 'mutation'
    : JSON.stringify([query.replace(/__typename|\s+/g, ''), variables])
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const asked =
    answers.get(key) ??
    fetch(url, { method: 'POST', headers, body: String(init?.body) }).then((response) => response.text())
  answers.set(key, asked)
  return new Response(await asked, { headers: { 'content-type': 'application/json' } })
}

/** What the service answers now; null for an error. */
async function current({ text: query, variables }: Document): Promise<Answer> {
  const response = await answerOf(`${demo.base}/graphql`, { body: JSON.stringify({ query, variables }) })
  const { data, errors } = await response.json()
  return errors ? null : data
}

const clients: [name: string, client: Cached][] = []

beforeAll(async () => {
  demo = await startDemo()
  const owner = operations.find(({ name }) => name === 'agents') as Operation
  token = demo.tokenOf(owner)
  const types = Object.values(schema.getTypeMap()).filter(isObjectType)
  const without_key = types.filter((type) => !isEntity(type)).map(({ name }) => name)
  for (const [name, connect] of CLIENTS)
    clients.push([name, connect(`${demo.base}/graphql`, { fetch: answerOf, without_key })])
  const [graphql] = apisAt(async () => demo.base) as [Api]
  for (const [name, args] of Object.entries(READS).filter(([, given]) => 'page_size' in given)) {
    const { data } = await graphql.call({ id: '', token }, name, resolved(args, answered))
    answered.set(name, Array.isArray(data) ? data : (Object.values<Entity[]>(data).find(Array.isArray) ?? []))
  }
  for (const [, client] of clients)
    for (const { text, variables } of DASHBOARD) await client.read(text, variables)
})
afterAll(() => demo.close())

const calls: [name: string, args: Arguments][] = [
  ...Object.entries(KINDS).flatMap(([name, kinds]) =>
    Object.values(kinds).map((args): [string, Arguments] => [name, args]),
  ),
  ...Object.entries(WRITES),
]

test('there is a call of every mutation', () => {
  const called = new Set(calls.map(([name]) => name))
  const missing = mutations.flatMap(({ name }) => (called.has(name) ? [] : [name]))
  expect(missing, `examples.writes of test/areas/<area>/suites.ts has no call of ${missing}`).toEqual([])
  expect(called.size).toBe(mutations.length)
})

test.each(calls)('after %s the caches are right', async (name, given) => {
  const operation = mutations.find((one) => one.name === name) as Operation
  const args = resolved(given, answered)
  const about: Document[] = []
  for (const one of queriesAbout(args)) if (await current(one)) about.push(one)
  for (const [, client] of clients)
    for (const { text, variables } of about) await client.read(text, variables)

  // The events of the demo come to the end of their retention at different times.
  demo.advance(100)
  answers = new Map()
  const { text, variables } = mutationOf(operation, args)
  const reader = token
  token = demo.tokenOf(operation)
  const [first, ...others] = clients.map(([, client]) => client.write(text, variables))
  const { [name]: value } = await first
  await Promise.all(others)
  token = reader
  answered.set(name, [value].flat())

  const now = new Map<Document, Answer>()
  for (const one of [...DASHBOARD, ...about]) {
    const answer = await current(one)
    if (answer) now.set(one, answer)
  }
  const again = [...(UNRECORDED.includes(name) ? [] : ['activity_log']), ...(FETCHED_AGAIN[name] ?? [])]
  const entities = entitiesIn([...now.values()])
  expect(DASHBOARD.filter((one) => !now.has(one))).toEqual([])
  for (const [client_name, client] of clients) {
    const outdated: string[] = []
    const wrong: unknown[] = []
    for (const [one, answer] of now) {
      const cached = await client.readCached(one.text, one.variables)
      if (!isDeepStrictEqual(cached, answer)) outdated.push(one.name)
      if (again.includes(one.name)) continue
      for (const [key, entity] of entitiesIn(cached))
        for (const [field, had] of Object.entries(entity)) {
          const has = entities.get(key)?.[field]
          if (has !== undefined && !isDeepStrictEqual(had, has)) wrong.push([key, field, had, has])
        }
    }
    expect([client_name, wrong]).toEqual([client_name, []])
    const missing = outdated.filter((one) => !again.includes(one)).map((one) => `'${one}'`)
    const line = { area: operation.area.name, line: `${name}: [${missing.join(', ')}],` }
    expect(
      [client_name, outdated.sort()],
      linesToAdd('fetched_again', missing.length > 0 ? [line] : []),
    ).toEqual([client_name, again.sort()])
    for (const [one, answer] of now) {
      if (!again.includes(one.name)) continue
      await client.read(one.text, one.variables)
      expect([one.name, await client.readCached(one.text, one.variables)]).toEqual([one.name, answer])
    }
  }
})
