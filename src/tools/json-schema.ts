/** JSON Schemas (2020-12) of what tools take and return. Objects are closed. */
import type { JsonSchema } from './tool.ts'

type Properties = Readonly<Record<string, JsonSchema>>

/** An object with these properties; those that are not `optional` are required. */
export const object = (properties: Properties, optional: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
})

export const text = (description: string, maxLength = 255): JsonSchema => ({
  type: 'string',
  minLength: 1,
  maxLength,
  description,
})

export const id = (description: string): JsonSchema => text(description, 200)

export const choice = (description: string, ...values: string[]): JsonSchema => ({
  type: 'string',
  enum: values,
  description,
})

export const whole = (description: string, minimum: number, maximum: number): JsonSchema => ({
  type: 'integer',
  minimum,
  maximum,
  description,
})

/** A number from 0 to 1. */
export const share = (description: string): JsonSchema => ({
  type: 'number',
  minimum: 0,
  maximum: 1,
  description,
})

export const flag = (description: string): JsonSchema => ({ type: 'boolean', description })

export const instant = (description: string): JsonSchema => ({
  type: 'string',
  format: 'date-time',
  description,
})

/** A value that the system may not have. */
export const optional = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  type: [schema.type, 'null'],
})

export const list = (items: JsonSchema, maxItems = 200): JsonSchema => ({ type: 'array', items, maxItems })

/** The input of a search, and its further properties. */
export const search = (what: string, properties: Properties = {}): JsonSchema =>
  object(
    {
      query: text(`Words that ${what} contain.`, 200),
      ...properties,
      limit: whole('The most results.', 1, 50),
    },
    [...Object.keys(properties), 'limit'],
  )

/** The answer of a search. */
export const results = (properties: Properties): JsonSchema =>
  object({ results: list(object(properties), 50) })

/** The answer of a change: the id of the changed or created thing. */
export const done = (name: string, description: string): JsonSchema => object({ [name]: id(description) })
