/** Parts of OpenAPI documents. */

/** A JSON Schema or another object of the document. */
export type Json = { [name: string]: unknown }

/** The parts of the document that refer to each other. */
export interface DocumentParts {
  paths: Record<string, Record<string, Json>>
  components: Record<string, Record<string, Json>>
}

export const JSON_MEDIA_TYPE = 'application/json'

export const ref = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` })

/** The schema or null. */
export function nullable(schema: Json): Json {
  const { $ref, ...beside } = schema
  if ($ref !== undefined) return { anyOf: [{ $ref }, { type: 'null' }], ...beside }
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] }
  return typeof schema.type === 'string' ? { ...schema, type: [schema.type, 'null'] } : schema
}
