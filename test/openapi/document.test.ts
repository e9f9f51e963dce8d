import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { openApiDocument } from '../../src/rest/openapi/document.ts'
import type { Json } from '../../src/rest/openapi/json.ts'
import { buildSchemas } from '../../src/schema.ts'
import { schemaValidator } from '../setup/openapi.ts'

const { operations } = buildSchemas()
const document = openApiDocument(operations)
const ajv = schemaValidator(document)

interface Place {
  at: string
  part: Json
}

/** Every object of the document, with the JSON pointer to it. */
function places(part: unknown, at = ''): Place[] {
  if (typeof part !== 'object' || part === null) return []
  const inside = Object.entries(part).flatMap(([name, value]) =>
    places(value, `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  )
  return [{ at, part: part as Json }, ...inside]
}

const bodies = places(document).filter(({ at }) => at.endsWith('/content/application~1json'))

const resolved = (part: Json): Json =>
  typeof part.$ref === 'string'
    ? (document.components.examples?.[part.$ref.split('/').at(-1) ?? ''] ?? {})
    : part

describe('the OpenAPI document', () => {
  test('is the same for the same operations', () => {
    expect(JSON.stringify(openApiDocument(operations))).toBe(JSON.stringify(document))
  })

  test('is valid by the rules that redocly recommends', async () => {
    const cache = new URL('../../.cache/', import.meta.url)
    const file = new URL('openapi.json', cache)
    await mkdir(cache, { recursive: true })
    await writeFile(file, JSON.stringify(document))
    const redocly = new URL('../../node_modules/.bin/redocly', import.meta.url).pathname
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const linted = promisify(execFile)(redocly, ['lint', file.pathname], { env })
    await expect(linted.catch(({ stdout }) => stdout)).resolves.toHaveProperty('stdout')
  }, 60_000)

  test('has no reference to something it does not have', () => {
    const known = new Set(places(document).map(({ at }) => `#${at}`))
    const references = places(document).flatMap(({ part }) =>
      typeof part.$ref === 'string' ? [part.$ref] : [],
    )
    expect(references.filter((reference) => !known.has(reference))).toEqual([])
  })

  test('has only schemas that compile', () => {
    const schemas = places(document).filter(
      ({ at }) => at.endsWith('/schema') || /^\/components\/schemas\/\w+$/.test(at),
    )
    for (const { at } of schemas) expect(ajv.getSchema(`openapi#${at}`), at).toBeTypeOf('function')
  })

  test('gives every body an example that fits its schema', () => {
    for (const { at, part } of bodies) {
      const examples = Object.values(
        (part.examples ?? { only: { value: part.example } }) as Record<string, Json>,
      )
      const validate = ajv.getSchema(`openapi#${at}/schema`)
      for (const example of examples) {
        const value = resolved(example).value
        expect(validate?.(value), `${at}: ${JSON.stringify(value)} ${ajv.errorsText(validate?.errors)}`).toBe(
          true,
        )
      }
    }
  })

  test('says of every error which codes it can have', () => {
    const errors = places(document).filter(({ at }) => /\/responses\/([45]\d\d|[A-Z]\w+)$/.test(at))
    for (const { at, part } of errors) {
      if (!part.$ref) expect(part['x-error-codes'], at).not.toHaveLength(0)
    }
  })
})
