/** Cleans bodies: the declared fields are kept, with their defaults; all others are ignored, and named. */
import { isObject } from '../../../../lib/is-object.ts'
import type { JsonSchema } from '../../../../lib/json-schema.ts'
import { unstorableIn } from '../../../../lib/text.ts'

type Properties = Readonly<Record<string, JsonSchema>>

/** The declared properties; those that are refused are not among them. */
const propertiesOf = ({ properties }: JsonSchema): Properties =>
  Object.fromEntries(
    Object.entries((properties ?? {}) as Properties).filter(([, schema]) => !('not' in schema)),
  )

const inside = (path: string, name: string | number): string =>
  path === '' ? String(name) : `${path}.${name}`

/** The longest name that a warning repeats. */
const NAME_CHARACTERS = 64

/** The value without undeclared fields, whose paths are added to `ignored`. A value of another type stays as it is. */
export function cleaned(schema: JsonSchema, value: unknown, path: string, ignored: string[]): unknown {
  if (Array.isArray(value)) {
    const items = schema.items as JsonSchema | undefined
    return items ? value.map((item, index) => cleaned(items, item, inside(path, index), ignored)) : value
  }
  if (!isObject(value) || !schema.properties) return value
  const properties = propertiesOf(schema)
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(properties, name)) ignored.push(inside(path, name.slice(0, NAME_CHARACTERS)))
  }
  const kept = Object.entries(properties).flatMap(([name, property]) => {
    if (Object.hasOwn(value, name))
      return [[name, cleaned(property, value[name], inside(path, name), ignored)]]
    return 'default' in property ? [[name, structuredClone(property.default)]] : []
  })
  return Object.fromEntries(kept)
}

/** The settings with instructions as text: of an object its `text`, so that whatever else is nested there is ignored. */
export function withPlainInstructions(settings: unknown, path: string, ignored: string[]): unknown {
  if (!isObject(settings) || !isObject(settings.custom_instructions)) return settings
  const { custom_instructions, ...others } = settings
  if ('text' in custom_instructions) return { ...others, custom_instructions: custom_instructions.text }
  ignored.push(`${path}.custom_instructions`)
  return others
}

export interface Flaw {
  field: string
  code: string
  message: string
}

const UNSTORABLE = {
  TEXT: { code: 'text_not_storable', message: 'must be well-formed text without U+0000' },
  NUMBER: { code: 'value_not_allowed', message: 'must be a finite number' },
}

/** The flaws of texts, names and numbers that the database does not store, at any depth. */
export const storageFlaws = (value: unknown, path: string): Flaw[] =>
  unstorableIn(value, path).map(({ path: field, is }) => ({ field, ...UNSTORABLE[is] }))
