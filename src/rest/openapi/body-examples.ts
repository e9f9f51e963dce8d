/** Examples of request and response bodies. */
import { exampleValue } from './example-value.ts'
import { type DocumentParts, JSON_MEDIA_TYPE, type Json } from './json.ts'

interface WithContent {
  content?: Record<string, Json>
}

/** Adds an `example` to every request body and success response. Error responses have one for each code. */
export function addBodyExamples({ paths, components }: DocumentParts): void {
  const schemas = components.schemas ?? {}

  function addExample({ content }: WithContent, isRequest: boolean): void {
    const media = content?.[JSON_MEDIA_TYPE]
    if (!media) return
    const example = exampleValue(media.schema as Json, 'data', { schemas, isRequest, owner: 'id' })
    if (example !== undefined) media.example = example
  }

  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    if (operation.requestBody) addExample(operation.requestBody as WithContent, true)
    const responses = operation.responses as Record<string, WithContent>
    if (responses[200]) addExample(responses[200], false)
  }
}
