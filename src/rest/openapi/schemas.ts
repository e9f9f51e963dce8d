/** JSON Schemas of GraphQL types, for answers and for requests. */
import {
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLScalarType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from 'graphql'
import { boundsOf, boundsSchema, itemBounds } from '../../schema/bounds/bounds.ts'
import { maxItemsOf } from '../../schema/bounds/list-size.ts'
import { isRequired } from '../../schema/calls/input.ts'
import { type Json, nullable, ref } from './json.ts'

const BUILT_IN: Record<string, Json> = {
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  String: { type: 'string' },
  ID: { type: 'string' },
}

function scalarSchema({ name, description, extensions }: GraphQLScalarType): Json {
  const built_in = BUILT_IN[name]
  if (built_in) return { ...built_in }
  const described = extensions.jsonSchema as Json | undefined
  if (!described) throw new Error(`The scalar ${name} needs extensions.jsonSchema`)
  return { ...described, ...(description && { description }) }
}

interface EnumValue {
  name: string
  description?: string | null | undefined
}

/** One of the values, or a value that is added later: generated clients keep it as text. */
export const orAdded = (schema: Json): Json => ({ anyOf: [schema, { type: 'string' }] })

/**
 * An enumeration with its values in words, the same for requests and answers: what was read can be sent back, also a
 * value that the client does not know.
 */
export function enumSchema(description: string, values: readonly EnumValue[]): Json {
  const words = values.map(({ name, description: own }) => `- \`${name}\`${own ? `: ${own}` : ''}`)
  const names = values.map(({ name }) => name)
  return {
    description: [description, words.join('\n')].filter(Boolean).join('\n\n'),
    ...orAdded({ type: 'string', enum: names }),
  }
}

const isReadOnly = (description: string | null | undefined): boolean =>
  /\bRead-only\b/.test(description ?? '')

/** The schema of a field or argument: that of its type, with its own description. */
function described(
  schema: Json,
  field: GraphQLField<unknown, unknown> | GraphQLInputField | GraphQLArgument,
): Json {
  const { description, deprecationReason } = field
  const max_items = 'args' in field ? maxItemsOf(field) : null
  return {
    ...schema,
    ...(max_items !== null && { maxItems: max_items }),
    ...(description && { description }),
    ...(isReadOnly(description) && { readOnly: true }),
    ...(deprecationReason && { deprecated: true }),
  }
}

type Bounds = ReturnType<typeof boundsOf>

/** The component schemas that have been asked for, by name. */
export interface Schemas {
  /** The schema of the type in an answer. */
  output(type: GraphQLOutputType): Json
  /** The object without some of its fields, as a schema of that name. */
  without(type: GraphQLObjectType, omitted: readonly string[], name: string): Json
  /** The schema of an argument in a request. */
  input(argument: GraphQLArgument | GraphQLInputField): Json
  /** A schema under a name of its own. */
  named(name: string, schema: Json): Json
  all(): Record<string, Json>
}

/** Generators take a property with a `default` for one that must be sent, so the description says it. */
export function withDefaultInWords({ default: value, ...schema }: Json): Json {
  if (value === undefined) return schema
  const description = [schema.description, `Default: ${JSON.stringify(value)}.`].filter(Boolean).join(' ')
  return { ...schema, description }
}

export function createSchemas(): Schemas {
  const components = new Map<string, { owner: string; schema: Json }>()

  /** Makes the component of that name once. An error if two different owners use the same name. */
  function component(name: string, owner: string, make: () => Json): Json {
    const existing = components.get(name)
    if (existing && existing.owner !== owner) throw new Error(`Two schemas are named ${name}`)
    if (!existing) {
      const entry = { owner, schema: {} }
      components.set(name, entry)
      Object.assign(entry.schema, make())
    }
    return ref('schemas', name)
  }

  function objectSchema(type: GraphQLObjectType, omitted: readonly string[] = []): Json {
    const fields = Object.values(type.getFields()).filter(({ name }) => !omitted.includes(name))
    return {
      type: 'object',
      ...(type.description && { description: type.description }),
      properties: Object.fromEntries(
        fields.map((field) => [field.name, described(output(field.type), field)]),
      ),
      required: fields.map(({ name }) => name),
    }
  }

  const enumeration = (type: GraphQLEnumType): Json =>
    component(type.name, type.name, () => enumSchema(type.description ?? '', type.getValues()))

  function present(type: GraphQLOutputType): Json {
    if (isListType(type)) return { type: 'array', items: output(type.ofType) }
    if (isScalarType(type)) return scalarSchema(type)
    if (isEnumType(type)) return enumeration(type)
    if (isObjectType(type)) return component(type.name, type.name, () => objectSchema(type))
    throw new Error(`REST has no schema for ${type}`)
  }

  function output(type: GraphQLOutputType): Json {
    return isNonNullType(type) ? present(type.ofType) : nullable(present(type))
  }

  function inputObjectSchema(type: GraphQLInputObjectType): Json {
    const fields = Object.values(type.getFields())
    const required = fields.filter(isRequired).map(({ name }) => name)
    return {
      type: 'object',
      ...(type.description && { description: type.description }),
      properties: Object.fromEntries(fields.map((field) => [field.name, property(field)])),
      ...(required.length > 0 && { required }),
    }
  }

  function acceptable(type: GraphQLInputType, bounds: Bounds): Json {
    if (isNonNullType(type)) return acceptable(type.ofType, bounds)
    if (isListType(type)) {
      const { min_items: minItems, max_items: maxItems } = itemBounds(bounds)
      return { type: 'array', items: acceptable(type.ofType, bounds), minItems, maxItems }
    }
    if (isScalarType(type)) return { ...scalarSchema(type), ...boundsSchema(bounds) }
    if (isInputObjectType(type)) return component(type.name, type.name, () => inputObjectSchema(type))
    return enumeration(type)
  }

  function input(argument: GraphQLArgument | GraphQLInputField): Json {
    const bounds = boundsOf(argument)
    const schema = described(acceptable(argument.type, bounds), argument)
    const { defaultValue } = argument
    const given = {
      ...schema,
      ...(defaultValue !== undefined && { default: shown(argument.type, defaultValue) }),
    }
    return bounds.nullable ? nullable(given) : given
  }

  const property = (field: GraphQLInputField): Json => withDefaultInWords(input(field))

  return {
    output,
    input,
    without: (type, omitted, name) =>
      component(name, `${type.name} without ${omitted}`, () => objectSchema(type, omitted)),
    named: (name, schema) => component(name, JSON.stringify(schema), () => schema),
    all: () =>
      Object.fromEntries(
        [...components]
          .map(([name, { schema }]) => [name, schema] as const)
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
  }
}

/** A default value as JSON. */
function shown(type: GraphQLInputType, value: unknown): unknown {
  if (isNonNullType(type)) return shown(type.ofType, value)
  if (isListType(type)) return Array.isArray(value) ? value.map((item) => shown(type.ofType, item)) : value
  return 'serialize' in type ? type.serialize(value) : value
}
