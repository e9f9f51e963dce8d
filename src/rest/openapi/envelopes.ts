/** The envelopes as schemas. `data` is what `envelope.ts` makes of the operation's value. */
import { GraphQLNonNull, getNamedType, getNullableType, isObjectType } from 'graphql'
import type { Operation } from '../../gateway/operation.ts'
import { type Json, ref } from './json.ts'
import type { Schemas } from './schemas.ts'

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

/** The schemas that are in no type of the schema. */
export const ENVELOPE_SCHEMAS: Record<string, Json> = {
  Meta: metaSchema('About the answer.', {}),
  PageMeta: metaSchema('About the answer, which is one page of a list.', {
    pagination: ref('schemas', 'Pagination'),
  }),
  ErrorEnvelope: {
    type: 'object',
    description: 'Every answer that is no success.',
    properties: {
      error: ref('schemas', 'Error'),
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
  Error: {
    type: 'object',
    properties: {
      code: { type: 'string', description: 'Why, for programs: stable. See /public-api/docs/errors.' },
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
  FieldError: {
    type: 'object',
    description: 'One field that is wrong.',
    properties: {
      field: { type: 'string', description: 'The path of the field, such as `windows.0.day`.' },
      location: { type: 'string', 'x-extensible-enum': ['body', 'query', 'path', 'header'] },
      code: { type: 'string', description: 'What is wrong, for programs: stable.' },
      message: { type: 'string', description: 'What is wrong, for people.' },
      fix: { type: 'string', description: 'What to send instead.' },
      depth: { type: 'integer', description: 'How deep the field stands.' },
    },
    required: ['field', 'location', 'code', 'message'],
  },
}

/** The body of the operation's success. */
export function successSchema({ field }: Operation, schemas: Schemas): Json {
  const type = getNullableType(field.type)
  const named = getNamedType(type)
  const fields = isObjectType(named) ? named.getFields() : {}
  const { pagination, items } = fields
  // A failed root field is null in GraphQL; REST has no answer without data.
  const whole = () => schemas.output(new GraphQLNonNull(type))
  const rest = () => (isObjectType(named) ? schemas.withoutPagination(named) : whole())
  if (pagination) schemas.output(pagination.type)
  return {
    type: 'object',
    properties: {
      data: pagination ? (items ? schemas.output(items.type) : rest()) : whole(),
      meta: ref('schemas', pagination ? 'PageMeta' : 'Meta'),
    },
    required: ['data', 'meta'],
  }
}
