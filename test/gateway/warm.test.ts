import { type GraphQLSchema, print } from 'graphql'
import { expect, onTestFinished, test } from 'vitest'
import { buildSchemas } from '../../src/composition/schemas.ts'
import { statement } from '../../src/db/sql.ts'
import { startApp } from '../setup/app.ts'
import { testDatabase } from '../setup/database.ts'
import { json } from '../setup/http.ts'
import { overheard } from '../setup/log.ts'
import { statementsOf } from '../setup/statements.ts'
import { world } from '../setup/world.ts'

test('before it listens the service has validated its schema, and Prisma has compiled a query', async () => {
  const schemas = buildSchemas()
  // The mark that graphql-js leaves on a schema that it has validated.
  const validated = () =>
    (schemas.schema as GraphQLSchema & { __validationErrors?: unknown }).__validationErrors
  const { app, database } = await startApp(await testDatabase(), {}, undefined, { schemas })
  onTestFinished(() => app.close(1000))
  expect(validated()).toBeUndefined()
  const statements = await statementsOf(database, () => app.warm(), /from "(public"\.")?tenant"/i)
  expect(statements).toHaveLength(1)
  expect(validated()).toEqual([])
})

const STORED = statement('test.warm_up', `select key from rate_bucket where key like 'API_KEY:%'`)

test('before it listens the service has sent the statements of a first list and read, and stored, logged and counted none of it', async () => {
  const { database, key } = await world()
  const { app, base, lines } = await overheard()
  onTestFinished(() => app.close(1000))
  const warm = await statementsOf(database, () => app.warm())
  expect(await database.sql.rows(STORED, [])).toEqual([])
  expect(lines().filter(({ msg }) => msg !== 'the clock was read')).toEqual([])
  expect(await (await fetch(`${base}/metrics`)).text()).not.toContain('operation="execution')
  const sent = new Set(warm.map(({ text }) => text))
  const headers = { authorization: `Bearer ${key.token}` }
  const query = print(app.services.documentOf('executions'))
  const asked = {
    '/public-api/executions': { headers },
    '/public-api/executions/none': { headers },
    '/graphql': json({ query }, { headers }),
  }
  for (const [path, init] of Object.entries(asked)) {
    const statements = await statementsOf(database, () => fetch(base + path, init))
    expect(statements).not.toEqual([])
    expect(statements.map(({ text }) => text).filter((text) => !sent.has(text))).toEqual([])
  }
})

test('the warm-up of a service whose database answers no statement ends, and is no error in the log', async () => {
  const refused = () => Promise.reject(new Error('refused'))
  const database = { ...(await testDatabase()), sql: { rows: refused }, transaction: refused }
  const { app, lines } = await overheard(database)
  onTestFinished(() => app.close(1000))
  await app.warm()
  expect(lines().filter(({ level }) => Number(level) >= 50)).toEqual([])
})
