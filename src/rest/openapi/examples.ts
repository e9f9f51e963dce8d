/** Examples of calls: what was sent to an operation, and what it answered. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DocumentParts, JSON_MEDIA_TYPE, type Json } from './json.ts'

/** A call that was answered with 200. */
export interface Example {
  /** By the name of the argument. */
  parameters?: Record<string, unknown>
  body?: unknown
  answer: unknown
}

/** The examples of each operation by their names; a single one is named `default`. */
export type Examples = Readonly<Record<string, Readonly<Record<string, Example>>>>

/** The file of recorded calls, which `npm run publish-schema` makes of the demo. */
export const EXAMPLES_FILE = join(import.meta.dirname, '../../../openapi-examples.json')

export const recordedExamples = (): Examples => JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8'))

interface WithContent {
  content?: Record<string, Json>
}

function addBody({ content }: WithContent, values: readonly (readonly [name: string, value: unknown])[]) {
  const media = content?.[JSON_MEDIA_TYPE]
  const given = values.filter(([, value]) => value !== undefined)
  if (!media || given.length === 0) return
  if (values.length === 1) media.example = given[0]?.[1]
  else media.examples = Object.fromEntries(given.map(([name, value]) => [name, { summary: name, value }]))
}

/** Adds the examples to parameters, request bodies and success responses. Error responses have one for each code. */
export function addExamples({ paths }: DocumentParts, examples: Examples): void {
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    const own = Object.entries(examples[String(operation['x-graphql-field'])] ?? {})
    const [first] = own
    for (const parameter of operation.parameters as Json[]) {
      const value = first?.[1].parameters?.[String(parameter.name)]
      if (value !== undefined) parameter.example = parameter.in === 'path' ? String(value) : value
    }
    const { requestBody, responses } = operation as { requestBody?: WithContent; responses: WithContent[] }
    if (requestBody)
      addBody(
        requestBody,
        own.map(([name, { body }]) => [name, body]),
      )
    if (responses[200])
      addBody(
        responses[200],
        own.map(([name, { answer }]) => [name, answer]),
      )
  }
}
