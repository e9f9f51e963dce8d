/** Arguments that the input schema of a tool calls secret: they are named, and no caller of the tool chooses their values. */
import { isObject } from '../lib/is-object.ts'
import type { JsonSchema, Tool } from './tool.ts'

type Properties = Readonly<Record<string, JsonSchema>>

const propertiesOf = ({ properties }: JsonSchema): Properties => (properties ?? {}) as Properties

/** The paths of the secret properties in the schema. */
function pathsIn(schema: JsonSchema, path: string): string[] {
  const ofItems = isObject(schema.items) ? pathsIn(schema.items, `${path}[]`) : []
  const ofProperties = Object.entries(propertiesOf(schema)).flatMap(([name, property]) => {
    const at = path === '' ? name : `${path}.${name}`
    return property.secret === true ? [at] : pathsIn(property, at)
  })
  return [...ofProperties, ...ofItems]
}

/** The paths of the tool's secret arguments. */
export const secretPathsOf = (tool: Pick<Tool, 'input_schema'> | undefined): string[] =>
  tool ? pathsIn(tool.input_schema, '') : []

/** The schema of what a caller chooses: an argument that is secret is none of it. */
function withoutSecrets(schema: JsonSchema): JsonSchema {
  const { items, required } = schema
  const chosen = Object.entries(propertiesOf(schema)).filter(([, { secret }]) => secret !== true)
  const names = new Set(chosen.map(([name]) => name))
  return {
    ...schema,
    ...(schema.properties !== undefined && {
      properties: Object.fromEntries(chosen.map(([name, property]) => [name, withoutSecrets(property)])),
    }),
    ...(Array.isArray(required) && { required: required.filter((name) => names.has(name)) }),
    ...(isObject(items) && { items: withoutSecrets(items) }),
  }
}

const schemas = new WeakMap<JsonSchema, JsonSchema>()

/** The input schema of the tool for its callers. */
export function chosenSchemaOf({ input_schema }: Pick<Tool, 'input_schema'>): JsonSchema {
  const known = schemas.get(input_schema) ?? withoutSecrets(input_schema)
  schemas.set(input_schema, known)
  return known
}
