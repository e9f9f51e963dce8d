/** The scalars of `graphql-scalars`: their JSON Schemas, and their parsing where its rules are ours. */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { GraphQLScalarType } from 'graphql'

const MODULES = {
  DateTimeISO: 'iso-date/DateTimeISO',
  EmailAddress: 'EmailAddress',
  IP: 'IP',
  JSON: 'json/JSON',
  JSONObject: 'json/JSONObject',
  LocalDate: 'LocalDate',
  LocalTime: 'LocalTime',
  NonNegativeFloat: 'NonNegativeFloat',
  NonNegativeInt: 'NonNegativeInt',
  TimeZone: 'TimeZone',
  URL: 'URL',
} as const

export type StandardScalar = keyof typeof MODULES

const require = createRequire(import.meta.url)

/** Single modules, by their files: loading the whole package takes 40 ms of every start. */
function load(name: StandardScalar): GraphQLScalarType {
  const scalars = join(dirname(require.resolve('graphql-scalars')), 'scalars')
  return require(join(scalars, `${MODULES[name]}.js`))[`GraphQL${name}`]
}

interface Standard {
  json_schema: Record<string, unknown>
  /** True where the package accepts the value in a request. */
  accepts(value: unknown): boolean
}

export function standardScalar(name: StandardScalar): Standard {
  const scalar = load(name)
  const { title: _, ...json_schema } = (scalar.extensions.jsonSchema ?? {}) as Record<string, unknown>
  return {
    json_schema,
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
