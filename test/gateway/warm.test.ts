import type { GraphQLSchema } from 'graphql'
import { expect, onTestFinished, test } from 'vitest'
import { buildSchemas } from '../../src/composition/schemas.ts'
import { startApp } from '../setup/app.ts'
import { testDatabase } from '../setup/database.ts'
import { statementsOf } from '../setup/statements.ts'

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
