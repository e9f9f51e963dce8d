/** Checks live responses against the published document. */
import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { detailsSchema } from '../../src/errors/details-schema.ts'
import { ERRORS, type ErrorCode } from '../../src/errors/errors.ts'
import { type OpenApiDocument, openApiDocument } from '../../src/rest/openapi/document.ts'
import type { Json } from '../../src/rest/openapi/json.ts'
import { builtSchemas } from './app.ts'

export interface LiveResponse {
  status: number
  headers: Headers
  body: unknown
}

const isText = (schema: unknown): boolean => JSON.stringify(schema) === '{"type":"string"}'

/** The enumeration without the text that clients accept beside its values: the service sends none but these. */
function listed(schema: Json): Json {
  const [values, ...others] = (schema.anyOf ?? []) as Json[]
  return values?.enum && others.every(isText) ? { ...schema, anyOf: [values] } : schema
}

/** Closes every object schema: clients accept unknown fields, but the service sends none. */
function closed<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(closed) as Part
  if (typeof part !== 'object' || part === null) return part
  const copy = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, closed(value)]))
  const isOpen = copy.type === 'object' && 'properties' in copy && !('additionalProperties' in copy)
  return (isOpen ? { ...copy, additionalProperties: false } : copy) as Part
}

/** A JSON Schema validator that knows the document's formats and components as `openapi`. */
export function schemaValidator(document: object): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  return ajv.addSchema(document, 'openapi')
}

interface Documented {
  description: string
  'x-error-codes'?: string[]
  headers: Record<string, { $ref: string }>
  content?: Record<string, Json>
}

const pointer = (...steps: (string | number)[]): string =>
  `#/${steps.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`

function readPublished() {
  const document: OpenApiDocument = closed(openApiDocument(builtSchemas().operations))
  for (const [name, schema] of Object.entries(document.components.schemas ?? {}))
    Object.assign(document.components.schemas ?? {}, { [name]: listed(schema) })
  const ajv = schemaValidator(document)
  const responses = new Map<string, { at: string; response: Documented }>()
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { responses: own, ...operation }] of Object.entries(methods)) {
      for (const [status, response] of Object.entries(own as Record<string, Documented | { $ref: string }>)) {
        const at = '$ref' in response ? response.$ref : pointer('paths', path, method, 'responses', status)
        const target =
          '$ref' in response ? document.components.responses?.[at.split('/').at(-1) ?? ''] : response
        responses.set(`${operation['x-graphql-field']} ${status}`, {
          at,
          response: target as unknown as Documented,
        })
      }
    }
  }
  return { document, responses, validator: (at: string) => ajv.getSchema(`openapi${at}`) as ValidateFunction }
}

let known: ReturnType<typeof readPublished> | undefined

const published = () => {
  known ??= readPublished()
  return known
}

const MEANINGFUL_HEADERS = [
  'ETag',
  'Location',
  'Retry-After',
  'Idempotency-Replayed',
  'WWW-Authenticate',
  'Sunset',
]

function headerProblems(documented: Documented['headers'], headers: Headers): string[] {
  const { document, validator } = published()
  const unexpected = MEANINGFUL_HEADERS.filter((name) => headers.has(name) && !(name in documented))
  const problems = Object.entries(documented).flatMap(([name, { $ref }]) => {
    const header = document.components.headers?.[name] as { required?: true; schema: Json }
    const text = headers.get(name)
    if (text === null) return header.required ? [`the header ${name} is missing`] : []
    const validate = validator(`${$ref}/schema`)
    return validate(header.schema.type === 'integer' ? Number(text) : text) ? [] : [`${name} is ${text}`]
  })
  return [...problems, ...unexpected.map((name) => `the header ${name} is not documented`)]
}

const isEmpty = (body: unknown): boolean =>
  body === undefined || body === null || body === '' || Object.keys(body).length === 0

function bodyProblems({ response, at }: { response: Documented; at: string }, live: LiveResponse): string[] {
  if (!response.content) return isEmpty(live.body) ? [] : ['there is a body']
  const type = live.headers.get('content-type')
  const validate = published().validator(`${at}/content/application~1json/schema`)
  const fits = validate(live.body)
  const { error, meta } = live.body as {
    error?: { code: string; details: unknown }
    meta?: { request_id?: string }
  }
  const codes = response['x-error-codes']
  return [
    ...(type === 'application/json; charset=utf-8' ? [] : [`the content type is ${type}`]),
    ...(fits
      ? []
      : (validate.errors ?? []).map(({ instancePath, message, params }) => {
          return `${instancePath} ${message} ${JSON.stringify(params)}`
        })),
    ...(error ? detailsProblems(error) : []),
    ...(error && !codes?.includes(error.code) ? [`the code ${error.code} is not documented`] : []),
    ...(meta?.request_id === live.headers.get('x-request-id') ? [] : ['meta.request_id is not X-Request-Id']),
  ]
}

let details_ajv: Ajv2020 | undefined
const detailsValidators = new Map<ErrorCode, ValidateFunction>()

/** What is wrong with the details of an error of the code; members that it does not declare are wrong too. */
export function detailsProblems({ code, details }: { code: string; details: unknown }): string[] {
  if (!Object.hasOwn(ERRORS, code)) return [`there is no code ${code}`]
  const known = code as ErrorCode
  details_ajv ??= schemaValidator({})
  const validate =
    detailsValidators.get(known) ?? details_ajv.compile(closed(detailsSchema(known)) as AnySchema)
  detailsValidators.set(known, validate)
  return validate(details) ? [] : [`details of ${code}: ${JSON.stringify(validate.errors)}`]
}

/** Throws unless the response of the operation is one that the document describes. */
export function checkResponse(operation: string, live: LiveResponse): void {
  const documented = published().responses.get(`${operation} ${live.status}`)
  const problems = documented
    ? [...headerProblems(documented.response.headers, live.headers), ...bodyProblems(documented, live)]
    : ['the status is not documented']
  if (problems.length === 0) return
  const body = JSON.stringify(live.body)?.slice(0, 2000)
  throw new Error(`${operation} answered ${live.status}, but\n${problems.join('\n')}\n${body}`)
}
