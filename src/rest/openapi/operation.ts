/** The OpenAPI operation object. */
import type { GraphQLArgument } from 'graphql'
import { isInputObjectType, isNonNullType } from 'graphql'
import type { Operation } from '../../gateway/operation.ts'
import { operationId } from '../../gateway/operation-id.ts'
import { INTEGER_ID } from '../../lib/ids.ts'
import { boundsOf } from '../../schema/bounds/bounds.ts'
import { isRequired } from '../../schema/calls/input.ts'
import { codesOf } from '../../schema/error-codes.ts'
import { BODY, locationOf } from '../bind.ts'
import { FORM_BODY, NDJSON_BODY } from '../body.ts'
import { documentedSchema } from './documented.ts'
import type { ErrorResponses } from './error-responses.ts'
import { requestHeaders } from './headers.ts'
import { JSON_MEDIA_TYPE, type Json } from './json.ts'
import { firstSentence } from './names.ts'
import type { Schemas } from './schemas.ts'
import { securityOf, whoMayCall } from './security.ts'
import { successResponses } from './success-responses.ts'

// Contract: path parameters are strings. Text that is no whole number is the id of nothing.
const inPath = (schema: Json): Json =>
  schema.type === 'integer' ? { type: 'string', pattern: INTEGER_ID.source } : schema

function parameter(arg: GraphQLArgument, location: 'path' | 'query', schemas: Schemas): Json {
  const { description, deprecated, ...schema } = schemas.input(arg)
  return {
    name: arg.name,
    in: location,
    ...(description !== undefined && { description }),
    ...((location === 'path' || isRequired(arg)) && { required: true }),
    ...(deprecated === true && { deprecated }),
    schema: location === 'path' ? inPath(schema) : schema,
  }
}

function parametersOf(operation: Operation, schemas: Schemas): Json[] {
  return operation.field.args.flatMap((arg) => {
    const location = locationOf(operation, arg.name)
    return location === 'path' || location === 'query' ? [parameter(arg, location, schemas)] : []
  })
}

/** A body is required if one of its properties is. */
function needsBody({ type }: GraphQLArgument): boolean {
  const inner = isNonNullType(type) ? type.ofType : type
  return isInputObjectType(inner) && Object.values(inner.getFields()).some(isRequired)
}

/** A list that may come alone, one item in a line. */
const lines = (member: string): Json => ({
  [NDJSON_BODY]: {
    schema: {
      type: 'string',
      description: `The items of \`${member}\`: one JSON object in each line. Empty lines do not count.`,
    },
  },
})

function bodyOf({ field, ndjson, takes_form }: Operation, schemas: Schemas): Json {
  const input = field.args.find(({ name }) => name === BODY)
  if (!input) return {}
  const { own_rules } = boundsOf(input)
  const schema = own_rules
    ? documentedSchema(own_rules.documented(), input.type, schemas)
    : schemas.input(input)
  const required = own_rules !== undefined || needsBody(input)
  const content = {
    [JSON_MEDIA_TYPE]: { schema },
    ...(ndjson !== undefined && lines(ndjson.member)),
    ...(takes_form && { [FORM_BODY]: { schema } }),
  }
  return { requestBody: { ...(required && { required: true }), content } }
}

/** The operation object; `operations` are all there are. */
export function operationObject(
  operation: Operation,
  operations: readonly Operation[],
  schemas: Schemas,
  errors: ErrorResponses,
): Json {
  const { name, area, access, field } = operation
  if (!field.description) throw new Error(`The operation ${name} needs a description`)
  const codes = codesOf(operation)
  return {
    operationId: operationId(operation),
    'x-graphql-field': name,
    tags: [area.name],
    summary: firstSentence(field.description),
    description: `${field.description}\n\n${whoMayCall(access)}`,
    ...(field.deprecationReason && { deprecated: true }),
    security: securityOf(access),
    parameters: [...parametersOf(operation, schemas), ...requestHeaders(operation, codes)],
    ...bodyOf(operation, schemas),
    responses: {
      ...successResponses(operation, operations, schemas),
      ...errors.of(operation),
    },
  }
}
