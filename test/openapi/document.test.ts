import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { detailsSchema } from '../../src/errors/details-schema.ts'
import { ERRORS, type ErrorCode } from '../../src/errors/errors.ts'
import { operationId } from '../../src/gateway/operation-id.ts'
import { openApiDocument } from '../../src/rest/openapi/document.ts'
import { errorExamples } from '../../src/rest/openapi/error-responses.ts'
import { errorsPage } from '../../src/rest/openapi/errors-page.ts'
import type { Json } from '../../src/rest/openapi/json.ts'
import { pascal } from '../../src/rest/openapi/names.ts'
import { codesOf } from '../../src/schema/error-codes.ts'
import { VALID } from '../setup/agent-bodies.ts'
import { builtSchemas } from '../setup/app.ts'
import { schemaValidator } from '../setup/openapi.ts'

const { operations } = builtSchemas()
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

/** The responses with codes, by the name of their schema: the same ones with a page beside the JSON count once. */
const errorResponses = [
  ...new Map(
    Object.entries(document.components.responses ?? {})
      .filter(([, response]) => response['x-error-codes'])
      .map(([name, response]) => [name.replace(/OrPage$/, ''), response]),
  ),
]

const ALL_CODES = Object.keys(ERRORS) as ErrorCode[]

const examples = errorExamples(ALL_CODES) as Record<
  string,
  { value: { error: Json & { details: Json }; meta: Json } }
>

/** The example of the code's error, with other details. An undefined member is left out. */
function errorWith(code: ErrorCode, changed: Json = {}): unknown {
  const { error, meta } = examples[code]?.value ?? { error: { details: {} }, meta: {} }
  return JSON.parse(JSON.stringify({ error: { ...error, details: { ...error.details, ...changed } }, meta }))
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
    const redocly = fileURLToPath(new URL('../../node_modules/.bin/redocly', import.meta.url))
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const linted = promisify(execFile)(redocly, ['lint', fileURLToPath(file)], { env })
    await expect(linted.catch(({ stdout }) => stdout)).resolves.toHaveProperty('stdout')
  })

  test('describes each operation in full, whether or not its summary is shown, and names its resource', () => {
    for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
      const { summary, description, operationId } = operation as Record<string, string>
      expect(description, operationId).toMatch(/^.{12,}\n\nNeeds /s)
      expect(description?.startsWith(`${summary}`), operationId).toBe(true)
      expect(summary, operationId).not.toMatch(/^\w+ (?:an entry|a request|a call)(?:\.| that)/)
    }
  })

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

  test('describes every property of every object; part of an `allOf` narrows what another part describes', () => {
    const properties = places({ ...document.components.schemas }).flatMap(({ at, part }) =>
      /\/properties$|\/(?:allOf|if|then)(?:\/|$)|\/examples\//.test(at)
        ? []
        : Object.entries((part.properties ?? {}) as Record<string, Json>).map(
            ([name, property]) => [`${at}/${name}`, property.description] as const,
          ),
    )
    expect(properties.length).toBeGreaterThan(700)
    expect(properties.filter(([, description]) => typeof description !== 'string')).toEqual([])
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

  test('gives parameters examples that fit their schemas', () => {
    const given = places(document).filter(({ part }) => 'in' in part && 'example' in part)
    expect(given.length).toBeGreaterThan(100)
    for (const { at, part } of given) {
      expect(ajv.getSchema(`openapi#${at}/schema`)?.(part.example), `${at}: ${part.example}`).toBe(true)
    }
  })

  test('shows each kind of agent that can be created', () => {
    const own = bodies.filter(({ at }) => at.startsWith('/paths/~1public-api~1agents/post/'))
    const kinds = ['AGENTIC', 'CHAINED_ACTIONS', 'CONVERSATIONAL']
    expect(own.map(({ part }) => Object.keys(part.examples ?? {}))).toEqual([kinds, kinds])
  })

  test('has the bodies of creates and of changes for the operation that judges them', () => {
    const fits = ajv.getSchema('openapi#/components/schemas/AgentToValidate')
    for (const body of [...Object.values(VALID), { agent_settings_edits: { max_minutes: 5 } }])
      expect(fits?.(body)).toBe(true)
    for (const body of [{ name: 1 }, { agent_settings_edits: { max_minutes: 0 } }, 'Triage'])
      expect(fits?.(body)).toBe(false)
  })

  describe('names', () => {
    const described = Object.values(document.paths).flatMap((path) => Object.values(path))
    const schemas = Object.entries(document.components.schemas ?? {})

    test('every operation by a verb, beside its field in GraphQL', () => {
      const names = described.map((operation) => [operation['x-graphql-field'], operation.operationId])
      expect(names).toEqual(
        expect.arrayContaining([
          ['company_links', 'list_company_links'],
          ['confirm_company_links', 'confirm_company_links'],
          ['agent', 'get_agent'],
          ['api_key_scopes', 'list_api_key_scopes'],
          ['enum_catalog', 'list_enums'],
          ['discover', 'discover'],
        ]),
      )
      expect(new Set(names.map(([, id]) => id)).size).toBe(operations.length)
    })

    test.each(described.map(({ operationId, summary }) => [operationId, String(summary)]))(
      '%s in a sentence: %s',
      (_id, summary) => {
        expect(summary).toMatch(/^[A-Z][a-z]+s .+\.$/s)
        expect(summary.length).toBeLessThanOrEqual(120)
      },
    )

    test('every body', () => {
      for (const { at, part } of bodies) expect(part.schema, at).toHaveProperty('$ref')
    })

    test('nothing as the types of generators and languages are named', () => {
      const taken = [
        'Error',
        'Enum',
        'ApiError',
        'Response',
        'Request',
        'Object',
        'Array',
        'Date',
        'Map',
        'Set',
      ]
      expect(schemas.filter(([name]) => taken.includes(name))).toEqual([])
    })

    test('one enumeration for each set of words, with a description of each', () => {
      const enums = schemas.flatMap(([name, { anyOf, description }]) => {
        const [first] = (anyOf ?? []) as Json[]
        return first?.enum ? [{ name, description, values: first.enum as string[] }] : []
      })
      expect(enums.length).toBeGreaterThan(60)
      const words = enums.map(({ values }) => String(values))
      expect(new Set(words).size).toBe(words.length)
      for (const { name, description, values } of enums) {
        for (const value of values) expect(description, name).toMatch(new RegExp(`^- .${value}.: .`, 'm'))
      }
    })
  })

  test('has path parameters that are strings', () => {
    const parameters = Object.values(document.paths)
      .flatMap((path) => Object.values(path))
      .flatMap((operation) => operation.parameters as Json[])
      .filter((parameter) => parameter.in === 'path')
      .map(({ name, schema }) => ({ name, schema: schema as Json }))
    const typeOf = ({ $ref, type, anyOf }: Json): unknown => {
      if (typeof $ref === 'string')
        return typeOf(document.components.schemas?.[$ref.split('/').at(-1) ?? ''] ?? {})
      return Array.isArray(anyOf) ? [...new Set(anyOf.map(typeOf))].join() : type
    }
    expect(parameters.length).toBeGreaterThan(40)
    expect(parameters.filter(({ schema }) => typeOf(schema) !== 'string')).toEqual([])
  })

  test('takes no property of a body for required that has a default', () => {
    const properties = Object.values(document.components.schemas ?? {}).flatMap(({ properties = {} }) =>
      Object.values(properties as Record<string, Json>),
    )
    expect(properties.filter((property) => 'default' in property)).toEqual([])
  })

  describe('has enumerations', () => {
    const described = Object.values(document.paths).flatMap((path) => Object.values(path))

    /** Every schema that the part comes to, with the schema that it is an alternative of. */
    function schemasIn(part: unknown, known: Set<unknown>, alternatives: Json[] = []): [Json, Json[]][] {
      if (typeof part !== 'object' || part === null) return []
      const { $ref } = part as Json
      if (typeof $ref === 'string') {
        const [kind = '', name = ''] = $ref.split('/').slice(-2)
        const target = document.components[kind]?.[name]
        if (known.has(target) && !target?.enum) return []
        known.add(target)
        return schemasIn(target, known, alternatives)
      }
      const own = Object.entries(part).flatMap(([name, value]) => {
        if (name === 'example' || name === 'examples' || name === 'if' || name === 'then') return []
        if (name !== 'anyOf') return schemasIn(value, known)
        return (value as Json[]).flatMap((one) => schemasIn(one, known, value as Json[]))
      })
      return Array.isArray(part) ? own : [[part as Json, alternatives], ...own]
    }

    const enumsIn = (parts: unknown[]) =>
      schemasIn(parts, new Set()).filter(([schema]) => Array.isArray(schema.enum))
    const isText = (schema: Json) => JSON.stringify(schema) === '{"type":"string"}'

    test('that may grow: each is any of its values or any text', () => {
      const own = described.flatMap(({ parameters, responses }) => [parameters, responses])
      const all = enumsIn(own)
      expect(all.length).toBeGreaterThan(100)
      expect(all.filter(([, others]) => !others.some(isText)).map(([schema]) => schema.enum)).toEqual([])
    })

    test('whose added values fit', () => {
      const fits = ajv.getSchema('openapi#/components/schemas/AgentState')
      expect([fits?.('ACTIVE'), fits?.('ADDED_LATER'), fits?.(1), fits?.(null)]).toEqual([
        true,
        true,
        false,
        false,
      ])
    })
  })

  test('has one error response and one schema for each set of codes, whichever operations have it', () => {
    const sets = new Set(
      operations.flatMap((operation) =>
        [...Map.groupBy(codesOf(operation), (code) => ERRORS[code].status).values()].map(String),
      ),
    )
    const responses = errorResponses
    expect(responses.map(([, response]) => String(response['x-error-codes'])).sort()).toEqual(
      [...sets].sort(),
    )
    const schemas = responses.map(([, { content }]) => JSON.stringify(content).match(/schemas\/(\w+)"/)?.[1])
    expect(schemas).toEqual(responses.map(([name]) => `${name}Response`))
    const ids = new Set(operations.map((operation) => pascal(operationId(operation))))
    expect(
      responses.map(([name]) => name).filter((name) => [...ids].some((id) => name.startsWith(id))),
    ).toEqual([])
  })

  test('is small enough for the tools that read all of it: 6 KB an operation without its examples', () => {
    const size = JSON.stringify(document, (name, value) =>
      name === 'example' || name === 'examples' ? undefined : value,
    ).length
    expect(size / operations.length).toBeLessThan(6000)
  })

  test('says of every error which codes it can have', () => {
    for (const [name, response] of errorResponses) {
      const codes = response['x-error-codes'] as string[]
      const validate = ajv.getSchema(`openapi#/components/schemas/${name}Response`)
      const schema = JSON.stringify(document.components.schemas?.[`${name}Response`])
      const listed = /"code":\{"description":"[^"]*","anyOf":\[\{"type":"string","enum":(\[.*?\])/.exec(
        schema,
      )?.[1]
      expect(JSON.parse(listed ?? '[]'), name).toEqual(codes)
      expect(
        codes.filter((code) => !validate?.(errorWith(code as ErrorCode))),
        name,
      ).toEqual([])
      const added = { code: 'teapot', message: 'No.', details: { docs_url: '#teapot', colour: 'red' } }
      expect(validate?.({ error: added, meta: {} }), `${name} with a code that was added later`).toBe(true)
    }
  })

  describe('has the details of each error', () => {
    const codes = [
      ...new Set(errorResponses.flatMap(([, response]) => response['x-error-codes'] as ErrorCode[])),
    ]

    test.each(codes)('%s: what is always there, in its type', (code) => {
      const { properties, required } = detailsSchema(code)
      for (const [name] of errorResponses.filter(([, response]) =>
        String(response['x-error-codes']).split(',').includes(code),
      )) {
        const fits = (changed: Json) =>
          ajv.getSchema(`openapi#/components/schemas/${name}Response`)?.(errorWith(code, changed))
        expect(fits({}), name).toBe(true)
        for (const member of required)
          expect(fits({ [member]: undefined }), `${name} without ${member}`).toBe(false)
        for (const member of Object.keys(properties))
          expect(fits({ [member]: { not: 'this' } }), `${name}: ${member}`).toBe(false)
      }
    })

    test('in words, on the page of errors', () => {
      const page = errorsPage()
      expect(page).toContain('<code>retry_after_seconds</code>: The seconds to wait.')
      expect(page).not.toContain('<code>docs_url</code>')
    })

    test('all of them with something in them, but for those that the code itself says enough of', () => {
      const bare = codes.filter((code) => Object.keys(detailsSchema(code).properties).length === 1)
      expect(bare.every((code) => !ERRORS[code].fix.includes('details.'))).toBe(true)
      expect(bare.length).toBeLessThan(codes.length / 4)
    })
  })

  test('has a response for errors of statuses that an operation does not list', () => {
    const unknown = {
      code: 'not_found',
      message: 'No.',
      details: { docs_url: '/docs#teapot', colour: 'red' },
    }
    for (const methods of Object.values(document.paths))
      for (const { responses } of Object.values(methods))
        expect((responses as Json).default).toEqual({
          $ref: expect.stringMatching(/^#\/components\/responses\/Error(OrPage)?$/),
        })
    expect(ajv.getSchema('openapi#/components/schemas/ErrorResponse')?.({ error: unknown, meta: {} })).toBe(
      true,
    )
  })
})
