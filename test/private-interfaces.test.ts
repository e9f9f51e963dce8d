/** The private parts of packages that we use. Each is used in one file of ours; a package that changes one fails here. */
import { PrismaPg } from '@prisma/adapter-pg'
import type { SqlQuery } from '@prisma/driver-adapter-utils'
import pg from 'pg'
import { PrismaPGlite } from 'pglite-prisma-adapter'
import { createSofa, createSofaRouter } from 'sofa-api'
import { expect, test } from 'vitest'
import { rethrow, startOnConnection, startOnEmbedded } from '../src/db/adapter-internals.ts'
import { connectionOf } from '../src/db/postgresql/pg-internals.ts'
import { published } from './setup/api.ts'

const functionsOf = (object: object, names: readonly string[]) =>
  names.filter((name) => typeof (object as Record<string, unknown>)[name] === 'function')

const ONE: SqlQuery = { sql: 'select 1', args: [], argTypes: [] }

test('pg-internals.ts: a connection of pg has the messages of statements, and a record of them', () => {
  const connection = connectionOf(new pg.Client())
  const messages = ['parse', 'bind', 'close', 'describe']
  expect(functionsOf(connection, messages)).toEqual(messages)
  expect(connection.parsedStatements).toEqual({})
})

test('pg-internals.ts: a query of pg takes the messages of rows, and sends its own to the connection', () => {
  const query = new (pg.Query as unknown as new (text: string) => { prepare(on: object): void })('select 1')
  const handlers = ['handleRowDescription', 'handleDataRow', 'handleCommandComplete']
  expect(functionsOf(query, handlers)).toEqual(handlers)
  const sent: string[] = []
  const known: Record<string, object> = { parsedStatements: {}, submittedNamedStatements: {} }
  query.prepare(new Proxy(known, { get: (target, name: string) => target[name] ?? (() => sent.push(name)) }))
  expect(sent).toEqual(['parse', 'bind', 'describe', 'execute', 'sync'])
})

test("adapter-internals.ts: PostgreSQL's adapter begins on the connection that it is given, and ends nothing", async () => {
  const adapter = await new PrismaPg(new pg.Pool()).connect()
  const sent: string[] = []
  const connection = {
    query: async ({ text }: { text: string }) => {
      sent.push(text)
      return { rows: [], fields: [], rowCount: 0 }
    },
    on() {},
    removeListener() {},
    release() {},
  }
  const transaction = await startOnConnection(adapter, connection)
  await transaction.queryRaw(ONE)
  await transaction.commit()
  expect([sent, transaction.options]).toEqual([['BEGIN', 'select 1'], { usePhantomQuery: true }])
  expect(() => rethrow(adapter, new Error('refused'))).toThrow('refused')
})

test("adapter-internals.ts: the embedded database's adapter begins with what it is given", async () => {
  const adapter = await new PrismaPGlite({} as never).connect()
  const sent: string[] = []
  const open = {
    query: async (text: string) => {
      sent.push(text)
      return { rows: [], fields: [], affectedRows: 0 }
    },
  }
  const transaction = await startOnEmbedded(adapter, {
    transaction: (work: (on: object) => unknown) => Promise.resolve(open).then(work),
  })
  await transaction.queryRaw(ONE)
  await transaction.commit()
  expect([sent, transaction.options]).toEqual([['select 1'], { usePhantomQuery: true }])
  expect(() => rethrow(adapter, new Error('refused'))).toThrow('refused')
})

test("sofa.ts: fets, SOFA's router, has its routes", async () => {
  const { rest_view } = await published()
  const { __routes } = createSofaRouter(createSofa({ schema: rest_view, basePath: '/' }))
  const subscriptions = { method: 'POST', path: '/webhook', handler: expect.any(Function) }
  expect(__routes).toContainEqual(expect.objectContaining(subscriptions))
})
