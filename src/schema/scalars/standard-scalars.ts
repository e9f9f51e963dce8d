/** The scalars of `graphql-scalars`: their JSON Schemas, and their parsing if its rules are ours. */
import {
  GraphQLDateTimeISO,
  GraphQLEmailAddress,
  GraphQLIP,
  GraphQLJSON,
  GraphQLJSONObject,
  GraphQLLocalDate,
  GraphQLLocalTime,
  GraphQLNonNegativeFloat,
  GraphQLNonNegativeInt,
  GraphQLTimeZone,
  GraphQLURL,
} from 'graphql-scalars'

const SCALARS = {
  DateTimeISO: GraphQLDateTimeISO,
  EmailAddress: GraphQLEmailAddress,
  IP: GraphQLIP,
  JSON: GraphQLJSON,
  JSONObject: GraphQLJSONObject,
  LocalDate: GraphQLLocalDate,
  LocalTime: GraphQLLocalTime,
  NonNegativeFloat: GraphQLNonNegativeFloat,
  NonNegativeInt: GraphQLNonNegativeInt,
  TimeZone: GraphQLTimeZone,
  URL: GraphQLURL,
} as const

export type StandardScalar = keyof typeof SCALARS

interface Standard {
  json_schema: Record<string, unknown>
  /** True if the package accepts the value in a request. */
  accepts(value: unknown): boolean
}

export function standardScalar(name: StandardScalar): Standard {
  const scalar = SCALARS[name]
  const { title: _, ...json_schema } = (scalar.extensions.jsonSchema ?? {}) as Record<string, unknown>
  // If `format` is an annotation, two branches of `oneOf` fit every value.
  const { oneOf, ...others } = json_schema
  return {
    json_schema: oneOf ? { ...others, anyOf: oneOf } : json_schema,
    accepts(value) {
      try {
        scalar.parseValue(value)
        return true
      } catch {
        return false
      }
    },
  }
}
