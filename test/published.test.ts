/** What is published is what is served. `npm run publish-schema` writes the files anew. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { printSchema } from 'graphql'
import { describe, expect, test } from 'vitest'
import { openApiDocument } from '../src/rest/openapi/document.ts'
import { buildSchemas } from '../src/schema.ts'
import { testApp } from './setup/app.ts'

const root = new URL('../', import.meta.url)
const { schema, operations } = buildSchemas()
const document = openApiDocument(operations)

test('schema.graphql is the schema', async () => {
  await expect(`${printSchema(schema)}\n`).toMatchFileSnapshot('../schema.graphql')
})

test('openapi.json is the document that the service serves', async () => {
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot('../openapi.json')
  const { base } = await testApp()
  const response = await fetch(`${base}/public-api/openapi.json`)
  expect(await response.json()).toEqual(document)
})

describe('routes', () => {
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}),
  )
  const described = Object.values(document.paths).flatMap((path) => Object.values(path))

  test('every operation is described once, with the field that it is in GraphQL', () => {
    expect(described.map((operation) => operation['x-graphql-field']).sort()).toEqual(fields.sort())
  })

  test.each(Object.keys(document.paths))('%s has the methods that are described', async (template) => {
    const { base } = await testApp()
    const path = template.replace(/\{\w+\}/g, 'x')
    const response = await fetch(base + path, { method: 'OPTIONS' })
    const allowed = new Set(response.headers.get('allow')?.split(', '))
    const described = Object.keys(document.paths[template] ?? {}).map((method) => method.toUpperCase())
    expect(allowed.difference(new Set(['HEAD', 'OPTIONS']))).toEqual(new Set(described))
  })
})

test('every area with a schema is in the list of areas', async () => {
  const areas = new URL('src/areas/', root)
  const imports = await readFile(new URL('index.ts', areas), 'utf8')
  const folders = await readdir(areas, { withFileTypes: true })
  const withSchema = []
  for (const folder of folders.filter((entry) => entry.isDirectory())) {
    const file = await stat(new URL(`${folder.name}/schema.ts`, areas)).catch(() => null)
    if (file) withSchema.push(folder.name)
  }
  expect(withSchema.filter((name) => !imports.includes(`'./${name}/schema.ts'`))).toEqual([])
})
