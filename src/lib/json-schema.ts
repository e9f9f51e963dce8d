/** JSON Schema 2020-12, validated by Ajv. */
import { createRequire } from 'node:module'
import type { Ajv2020 } from 'ajv/dist/2020.js'

const require = createRequire(import.meta.url)

export type JsonSchema = Readonly<Record<string, unknown>>

/** A value that fits the first schema fits the second one too. */
export const implies = (condition: JsonSchema, consequence: JsonSchema): JsonSchema => ({
  if: condition,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: consequence,
})

/** A keyword of a schema that a value does not meet. */
export interface SchemaError {
  /** The path of the value: `actions.0.type`. Of a missing property, the path that it would have. */
  path: string
  keyword: string
  /** The schema that has the keyword. */
  schema: JsonSchema
  /** The property that is missing, for `required`. */
  missing: string | null
}

let ajv: Ajv2020 | undefined

/** Loading Ajv takes as long as some requests do, so it is loaded at its first use. */
function loaded(): Ajv2020 {
  if (!ajv) {
    const { Ajv2020: Ajv } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')
    ajv = new Ajv({
      allErrors: true,
      strict: false,
      validateSchema: false,
      verbose: true,
      ownProperties: true,
      logger: false,
    })
  }
  return ajv
}

const pathOf = (pointer: string): string =>
  pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')

const inside = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

/** Keywords that only say that one of their schemas does not fit, which says so itself. */
const OUTER = ['if', 'allOf']

/** The errors of values with the schema. It is compiled at its first use. */
export function schemaErrorsOf(schema: JsonSchema): (value: unknown) => SchemaError[] {
  let validate: ReturnType<Ajv2020['compile']> | undefined
  return (value) => {
    validate ??= loaded().compile(schema)
    if (validate(value)) return []
    return (validate.errors ?? [])
      .filter(({ keyword }) => !OUTER.includes(keyword))
      .map(({ keyword, instancePath, params, parentSchema }) => {
        const missing = keyword === 'required' ? String(params.missingProperty) : null
        const at = pathOf(instancePath)
        return {
          path: missing === null ? at : inside(at, missing),
          keyword,
          schema: parentSchema ?? {},
          missing,
        }
      })
  }
}
