/** Schemas of bodies that operations judge themselves. They are plain: what a field can be, but no rule between fields. */
import {
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLNonNull,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from 'graphql'
import type { JsonSchema } from '../../lib/json-schema.ts'
import type { DocumentedBody, DocumentedObject, DocumentedUnion } from '../../schema/bounds/bounds.ts'
import { type Json, nullable } from './json.ts'
import { type Schemas, withDefaultInWords } from './schemas.ts'

type Properties = Readonly<Record<string, JsonSchema>>

/** The keywords about the value as a whole. */
const WHOLE = [
  'type',
  'const',
  'enum',
  'anyOf',
  'minimum',
  'maximum',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
]

const whole = (rule: JsonSchema): Json => ({
  ...Object.fromEntries(WHOLE.flatMap((keyword) => (keyword in rule ? [[keyword, rule[keyword]]] : []))),
  // Without it some generators take an object that names no property for one that has none.
  ...(rule.type === 'object' && { additionalProperties: true }),
})

const orNull = ({ type }: JsonSchema, schema: Json): Json =>
  Array.isArray(type) && type.includes('null') ? nullable(schema) : schema

/** The schema of the body, whose component has its name. */
export function documentedSchema(body: DocumentedBody, type: GraphQLInputType, schemas: Schemas): Json {
  const input = getNullableType(type)
  if (!isInputObjectType(input)) throw new Error(`${body.name} is no object`)
  return 'bodies' in body ? unionSchema(body, input, schemas) : objectSchema(body, input, schemas)
}

function unionSchema(union: DocumentedUnion, type: GraphQLInputObjectType, schemas: Schemas): Json {
  const { name, description, bodies, told_apart_by } = union
  const references = bodies.map((body) => documentedSchema(body, type, schemas))
  if (told_apart_by === undefined) return schemas.named(name, { description, anyOf: references })
  const mapping = bodies.map((body, index) => {
    const constant = 'properties' in body ? body.properties[told_apart_by]?.const : undefined
    if (typeof constant !== 'string') throw new Error(`${body.name} has no constant ${told_apart_by}`)
    return [constant, references[index]?.$ref]
  })
  const discriminator = { propertyName: told_apart_by, mapping: Object.fromEntries(mapping) }
  return schemas.named(name, { description, oneOf: references, discriminator })
}

function objectSchema(body: DocumentedObject, type: GraphQLInputObjectType, schemas: Schemas): Json {
  const { name, description, properties, required } = body
  const fields = type.getFields()
  const documented = Object.entries(properties).flatMap(([own, rule]) => {
    const field = fields[own]
    return field ? [[own, propertySchema(field, rule, schemas)]] : []
  })
  return schemas.named(name, {
    type: 'object',
    description,
    properties: Object.fromEntries(documented),
    ...(required.length > 0 && { required }),
  })
}

function propertySchema(field: GraphQLInputField, rule: JsonSchema, schemas: Schemas): Json {
  const { description } = field
  const schema = { ...valueSchema(field.type, rule, schemas), ...(description && { description }) }
  return withDefaultInWords({ ...schema, default: rule.default })
}

function valueSchema(given: GraphQLInputType, rule: JsonSchema, schemas: Schemas): Json {
  const type = getNullableType(given)
  if (isListType(type)) {
    return { ...whole(rule), items: valueSchema(type.ofType, (rule.items ?? {}) as JsonSchema, schemas) }
  }
  if (isInputObjectType(type)) {
    const { properties = {}, required = [] } = rule as { properties?: Properties; required?: string[] }
    const description = type.description ?? ''
    return orNull(rule, objectSchema({ name: type.name, description, properties, required }, type, schemas))
  }
  const isWhole =
    isEnumType(type) && type.getValues().length === (rule.enum as readonly string[] | undefined)?.length
  return isWhole ? orNull(rule, schemas.output(new GraphQLNonNull(type))) : whole(rule)
}
