/** Gives every body of the document its example. */
import { exampleOf } from './examples.ts'
import { JSON_MEDIA_TYPE, type Json } from './json.ts'

interface Illustrated {
  paths: Record<string, Record<string, Json>>
  components: Record<string, Record<string, Json>>
}

interface WithContent {
  content?: Record<string, Json>
}

/** Adds `example` to the bodies of requests and successes; errors have theirs by code. */
export function illustrate({ paths, components }: Illustrated): void {
  const schemas = components.schemas ?? {}

  function give({ content }: WithContent, sent: boolean): void {
    const media = content?.[JSON_MEDIA_TYPE]
    if (!media) return
    const example = exampleOf(media.schema as Json, 'data', { components: schemas, sent, owner: 'id' })
    if (example !== undefined) media.example = example
  }

  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    if (operation.requestBody) give(operation.requestBody as WithContent, true)
    const responses = operation.responses as Record<string, WithContent>
    if (responses[200]) give(responses[200], false)
  }
}
