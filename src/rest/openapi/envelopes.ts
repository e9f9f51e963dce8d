/** The envelopes as schemas. `data` is what `envelope.ts` makes of the operation's value. */
import {
  type GraphQLFieldMap,
  GraphQLNonNull,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
} from 'graphql'
import { ERRORS, type ErrorCode } from '../../errors.ts'
import type { Operation } from '../../gateway/operation.ts'
import { omittedFrom } from '../omitted.ts'
import { type Json, ref } from './json.ts'
import { growingEnum, type Schemas } from './schemas.ts'

const REQUEST_ID = { type: 'string', format: 'uuid', description: 'The id of this request.' }

const TIMINGS = {
  type: 'object',
  description: 'Where the time of the request went, in milliseconds.',
  properties: { total: { type: 'number' } },
  required: ['total'],
  additionalProperties: { type: 'number' },
  examples: [{ total: 12.5, auth: 0.4, db: 3.2 }],
}

const WARNINGS = {
  type: 'array',
  items: { type: 'string' },
  description: 'What went well otherwise but deserves a look. Absent where there is nothing.',
  examples: [['ignored_field: colour']],
}

const metaSchema = (description: string, pagination: Json): Json => ({
  type: 'object',
  description,
  properties: { request_id: REQUEST_ID, timings_ms: TIMINGS, ...pagination, warnings: WARNINGS },
  required: ['request_id', 'timings_ms', ...Object.keys(pagination)],
})

const CODES = Object.keys(ERRORS) as ErrorCode[]

/** The schemas that are in no type of the schema. */
export const ENVELOPE_SCHEMAS: Record<string, Json> = {
  Meta: metaSchema('About the answer.', {}),
  PageMeta: metaSchema('About the answer, which is one page of a list.', {
    pagination: ref('schemas', 'Pagination'),
  }),
  ErrorResponse: {
    type: 'object',
    description: 'Every answer that is no success.',
    properties: {
      error: ref('schemas', 'ErrorObject'),
      meta: {
        type: 'object',
        properties: {
          request_id: {
            ...REQUEST_ID,
            type: ['string', 'null'],
            description: 'Quote it when you report a problem.',
          },
        },
      },
    },
    required: ['error', 'meta'],
  },
  ErrorObject: {
    type: 'object',
    description: 'Why the request was refused or failed.',
    properties: {
      code: ref('schemas', 'ErrorCode'),
      message: { type: 'string', description: 'Why, for people. It may change.' },
      details: {
        type: 'object',
        description: 'What else is known, by code.',
        properties: {
          docs_url: { type: 'string', format: 'uri-reference', description: 'Where the code is explained.' },
          field_errors: { type: 'array', items: ref('schemas', 'FieldError') },
        },
        additionalProperties: true,
      },
    },
    required: ['code', 'message'],
  },
  ErrorCode: growingEnum(
    'ErrorCode',
    'Why, for programs: stable. /public-api/docs/errors explains every code.',
    CODES,
    CODES.map((code) => ERRORS[code].message),
  ),
  FieldError: {
    type: 'object',
    description: 'One field that is wrong.',
    properties: {
      field: { type: 'string', description: 'The path of the field, such as `windows.0.day`.' },
      location: { type: 'string', enum: ['body', 'query', 'path', 'header'] },
      code: { type: 'string', description: 'What is wrong, for programs: stable.' },
      message: { type: 'string', description: 'What is wrong, for people.' },
      fix: { type: 'string', description: 'What to send instead.' },
      depth: { type: 'integer', description: 'How deep the field stands.' },
    },
    required: ['field', 'location', 'code', 'message'],
  },
}

/** A type that `rest.omit` leaves fields out of is described under a name of its own. */
const summaryName = (type: GraphQLObjectType): string => `${type.name}Summary`

/** The `data` of the operation's success. */
function dataSchema(operation: Operation, schemas: Schemas): Json {
  const { omit = [] } = operation.rest
  const { items, pagination } = fieldsOf(operation)
  // A failed root field is null in GraphQL; REST has no answer without data.
  const type = getNullableType(pagination && items ? items.type : operation.field.type)
  const from = omittedFrom(operation)
  const omitted = [...omit, ...(pagination && !items ? ['pagination'] : [])]
  if (!from || omitted.length === 0) return schemas.output(new GraphQLNonNull(type))
  const name = omit.length > 0 ? summaryName(from.type) : from.type.name
  const object = schemas.without(from.type, omitted, name)
  return isListType(type) ? { type: 'array', items: object } : object
}

/** `AgentPage` is answered in an `AgentPageResponse`, a list of `ApiKeyScope` in an `ApiKeyScopeListResponse`. */
function responseName(operation: Operation): string {
  const type = getNullableType(operation.field.type)
  const named = getNamedType(type)
  if (isListType(type)) return `${named.name}ListResponse`
  const isLesser = operation.rest.omit && isObjectType(named) && !fieldsOf(operation).pagination
  return `${isLesser ? summaryName(named) : named.name}Response`
}

function fieldsOf({ field }: Operation): GraphQLFieldMap<unknown, unknown> {
  const type = getNamedType(field.type)
  return isObjectType(type) ? type.getFields() : {}
}

/** The body of the operation's success. */
export function successSchema(operation: Operation, schemas: Schemas): Json {
  const { pagination } = fieldsOf(operation)
  if (pagination) schemas.output(pagination.type)
  return schemas.named(responseName(operation), {
    type: 'object',
    properties: {
      data: dataSchema(operation, schemas),
      meta: ref('schemas', pagination ? 'PageMeta' : 'Meta'),
    },
    required: ['data', 'meta'],
  })
}
