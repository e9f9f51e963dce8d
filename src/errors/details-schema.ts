/** The JSON Schema of the `details` of each error. */
import { z } from 'zod'
import type { ErrorEntry } from './entry.ts'
import { ERRORS, type ErrorCode } from './errors.ts'

type Json = Record<string, unknown>

/** The schema of an object, without references. A part with a `title` is a component in OpenAPI. */
export interface DetailsSchema extends Json {
  properties: Record<string, Json>
  required: string[]
}

export const DOCS_URL = {
  type: 'string',
  format: 'uri-reference',
  description: 'The explanation.',
}

function makeSchema(code: ErrorCode): DetailsSchema {
  const { details = z.object({}) }: ErrorEntry = ERRORS[code]
  const options = { io: 'input', unrepresentable: 'any' } as const
  const { $schema: _version, properties, required = [], ...others } = z.toJSONSchema(details, options)
  return {
    ...others,
    properties: { ...(properties as Record<string, Json>), docs_url: DOCS_URL },
    required: [...required, 'docs_url'],
  }
}

const made = new Map<ErrorCode, DetailsSchema>()

/** The schema of the details of the code's errors, `docs_url` among them. */
export function detailsSchema(code: ErrorCode): DetailsSchema {
  const schema = made.get(code) ?? makeSchema(code)
  made.set(code, schema)
  return schema
}
