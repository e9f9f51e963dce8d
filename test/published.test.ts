/** The published documents are those that are served. `npm run publish-schema` writes them anew. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { printSchema } from 'graphql'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Operation } from '../src/gateway/operation.ts'
import { openApiDocument } from '../src/rest/openapi/document.ts'
import type { Examples } from '../src/rest/openapi/examples.ts'
import { isRequired } from '../src/schema/calls/input.ts'
import { CALLS } from './examples/calls.ts'
import { recordExamples } from './examples/record.ts'
import { builtSchemas, testApp } from './setup/app.ts'
import { linesToAdd } from './setup/suites/areas.ts'

const root = new URL('../', import.meta.url)
const { schema, operations } = builtSchemas()
const document = openApiDocument(operations, {})

const WRITE = 'npm run publish-schema writes it'

const lineOf = ({ name, area, field }: Operation) => ({
  area: area.name,
  line: `${name}: { ${field.args
    .filter(isRequired)
    .map((arg) => `${arg.name}: …`)
    .join(', ')} },`,
})

const text = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

test('schema.graphql is the schema', async () => {
  await expect(`${printSchema(schema)}\n`).toMatchFileSnapshot('../schema.graphql', WRITE)
})

describe('examples', () => {
  let examples: Examples
  beforeAll(async () => {
    examples = await recordExamples(operations)
  })

  test('show a call of every operation', () => {
    const missing = operations.filter(({ name }) => !(name in CALLS))
    const reads = missing.filter(({ kind }) => kind === 'query').map(lineOf)
    const writes = missing.filter(({ kind }) => kind === 'mutation').map(lineOf)
    const lines = [linesToAdd('examples.reads', reads), linesToAdd('examples.writes', writes)]
    expect(
      missing.map(({ name }) => name),
      lines.join('\n'),
    ).toEqual([])
    expect(Object.keys(CALLS)).toHaveLength(operations.length)
  })

  test('are what the service answers on the demo', async () => {
    await expect(text(examples)).toMatchFileSnapshot('../openapi-examples.json', WRITE)
  })

  test('have nothing that can be taken for a credential', () => {
    expect(text(examples)).not.toMatch(/svc_sk_[a-z0-9-]+_[0-9A-Za-z]{40}|eyJ[\w-]+\.|signature=(?!example)/)
  })

  test('are in openapi.json', async () => {
    await expect(text(openApiDocument(operations, examples))).toMatchFileSnapshot('../openapi.json', WRITE)
  })
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
  const imports = await readFile(new URL('src/composition/areas.ts', root), 'utf8')
  const folders = await readdir(areas, { withFileTypes: true })
  const withSchema = []
  for (const folder of folders.filter((entry) => entry.isDirectory())) {
    const file = await stat(new URL(`${folder.name}/schema.ts`, areas)).catch(() => null)
    if (file) withSchema.push(folder.name)
  }
  expect(withSchema.filter((name) => !imports.includes(`'../areas/${name}/schema.ts'`))).toEqual([])
})
