/** Schemas of the envelopes. `../envelope.ts` makes the responses that they describe. */
import {
  type GraphQLFieldMap,
  GraphQLNonNull,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
} from 'graphql'
import { DOCS_URL, detailsSchema } from '../../errors/details-schema.ts'
import { ERRORS } from '../../errors/errors.ts'
import type { Operation } from '../../gateway/operation.ts'
import { omittedFrom } from '../omitted.ts'
import { type Json, ref } from './json.ts'
import { firstSentence } from './names.ts'
import { enumSchema, orAdded, type Schemas } from './schemas.ts'

const REQUEST_ID = { type: 'string', format: 'uuid', description: 'The id of this request.' }

const TIMINGS = {
  type: 'object',
  description: 'Milliseconds that the request took: `total`, and parts of it.',
  properties: { total: { type: 'number', description: 'The whole request.' } },
  required: ['total'],
  additionalProperties: { type: 'number' },
  examples: [{ total: 12.5, auth: 0.4, db: 3.2 }],
}

const WARNINGS = {
  type: 'array',
  items: { type: 'string' },
  description: 'Non-fatal warnings. Absent if there are none.',
  examples: [['ignored_field: colour']],
}

const META = 'Metadata of the response.'

const metaSchema = (description: string, pagination: Json): Json => ({
  type: 'object',
  description,
  properties: { request_id: REQUEST_ID, timings_ms: TIMINGS, ...pagination, warnings: WARNINGS },
  required: ['request_id', 'timings_ms', ...Object.keys(pagination)],
})

/** The schema of a part of an answer, with the enumerations in it open. */
function openEnums({ properties, ...schema }: Json): Json {
  const parts = Object.entries((properties ?? {}) as Record<string, Json>).map(([name, part]) => {
    const { description, examples, ...own } = part
    return [name, part.enum ? { description, examples, ...orAdded(own) } : part]
  })
  return { ...schema, properties: Object.fromEntries(parts) }
}

const FIELD_ERRORS = detailsSchema('request_validation_failed').properties.field_errors as { items: Json }
const { title: _name, ...FIELD_ERROR } = openEnums(FIELD_ERRORS.items)

/** `meta` in error responses. */
export const ERROR_META: Json = { ...ref('schemas', 'ErrorMeta'), description: META }

/** The envelope schemas, which have no GraphQL type. */
export const ENVELOPE_SCHEMAS: Record<string, Json> = {
  Meta: metaSchema(META, {}),
  PageMeta: metaSchema('Metadata of a response with one page of a list.', {
    pagination: { ...ref('schemas', 'Pagination'), description: 'The place of the page in the list.' },
  }),
  ErrorResponse: {
    type: 'object',
    description: 'The body of every error response.',
    properties: {
      error: { ...ref('schemas', 'ErrorObject'), description: 'The reason.' },
      meta: ERROR_META,
    },
    required: ['error', 'meta'],
  },
  ErrorObject: {
    type: 'object',
    description: 'The reason why a request was refused or failed.',
    properties: {
      code: { ...ref('schemas', 'ErrorCode'), description: 'The stable reason.' },
      message: { type: 'string', description: 'The reason in words. It may change.' },
      details: {
        type: 'object',
        description:
          'Further members, which depend on the code: `GET /public-api/schemas/error-codes` has them.',
        properties: { docs_url: DOCS_URL },
        required: ['docs_url'],
      },
    },
    required: ['code', 'message', 'details'],
  },
  ErrorMeta: {
    type: 'object',
    description: 'Metadata of an error response.',
    properties: {
      request_id: {
        ...REQUEST_ID,
        type: ['string', 'null'],
        description: 'Quote it when you report a problem.',
      },
    },
  },
  ErrorCode: enumSchema(
    'The stable, machine-readable reason. /public-api/docs/errors explains every code.',
    Object.entries(ERRORS).map(([name, { message }]) => ({ name, description: message })),
  ),
  FieldError: FIELD_ERROR,
}

/** The name of a type's schema without the fields that `rest.omit` names. */
const summaryName = ({ rest }: Operation, type: GraphQLObjectType): string =>
  rest.omitted_name ?? `${type.name}Summary`

/** The schema of `data`. */
function dataSchema(operation: Operation, schemas: Schemas): Json {
  const { omit = [] } = operation.rest
  const { items, pagination } = fieldsOf(operation)
  // A root field is nullable in GraphQL because it may fail; in REST it is then an error response.
  const type = getNullableType(pagination && items ? items.type : operation.field.type)
  const from = omittedFrom(operation)
  const omitted = [...omit, ...(pagination && !items ? ['pagination'] : [])]
  if (!from || omitted.length === 0) return schemas.output(new GraphQLNonNull(type))
  const name = omit.length > 0 ? summaryName(operation, from.type) : from.type.name
  const object = schemas.without(from.type, omitted, name)
  return isListType(type) ? { type: 'array', items: object } : object
}

/** The type's name and `Response`: `AgentPageResponse`; `ApiKeyScopeListResponse` for a list that has no pages. */
function responseName(operation: Operation): string {
  const type = getNullableType(operation.field.type)
  const named = getNamedType(type)
  if (isListType(type)) return `${named.name}ListResponse`
  const isLesser = operation.rest.omit && isObjectType(named) && !fieldsOf(operation).pagination
  return `${isLesser ? summaryName(operation, named) : named.name}Response`
}

function fieldsOf({ field }: Operation): GraphQLFieldMap<unknown, unknown> {
  const type = getNamedType(field.type)
  return isObjectType(type) ? type.getFields() : {}
}

/** What `data` is, in a sentence. */
function dataDescription(operation: Operation): string {
  const { pagination, items } = fieldsOf(operation)
  if (pagination && items) return 'The items of the page.'
  const { type } = operation.field
  return isListType(getNullableType(type))
    ? 'All items.'
    : firstSentence(getNamedType(type).description ?? '')
}

/** The schema of the operation's success response; without an envelope it is that of the value. */
export function successSchema(operation: Operation, schemas: Schemas): Json {
  if (operation.envelope === false) return dataSchema(operation, schemas)
  const { pagination } = fieldsOf(operation)
  if (pagination) schemas.output(pagination.type)
  return schemas.named(responseName(operation), {
    type: 'object',
    properties: {
      data: { ...dataSchema(operation, schemas), description: dataDescription(operation) },
      meta: { ...ref('schemas', pagination ? 'PageMeta' : 'Meta'), description: META },
    },
    required: ['data', 'meta'],
  })
}
