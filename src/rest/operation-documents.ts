/**
 * The operations' documents, which SOFA derives from the REST view. Loading SOFA takes a quarter of a start, so what
 * it derives is kept beside the compile cache for as long as the view stays the same.
 */
import { createHash } from 'node:crypto'
import { type DocumentNode, type GraphQLSchema, parse, print, printSchema } from 'graphql'
import type { Operation } from '../gateway/operation.ts'
import { cached } from '../lib/cache.ts'

/** The document of an operation, by its name. */
export type DocumentOf = (name: string) => DocumentNode

/** Everything that the documents follow from. */
function fingerprint(view: GraphQLSchema, operations: readonly Operation[]): string {
  const routes = operations.map(({ name, rest }) => `${name} ${JSON.stringify(rest)}`)
  return createHash('sha256')
    .update(`${printSchema(view)}\n${routes.join('\n')}`)
    .digest('hex')
}

async function derive(view: GraphQLSchema, operations: readonly Operation[]): Promise<string> {
  const { deriveDocuments } = await import('./sofa.ts')
  const documents = await deriveDocuments(view, operations)
  return JSON.stringify(Object.fromEntries([...documents].map(([name, document]) => [name, print(document)])))
}

/** What SOFA derives, or what it derived for the same view before. */
export async function derivedDocuments(
  view: GraphQLSchema,
  operations: readonly Operation[],
): Promise<DocumentOf> {
  const text = await cached(`documents/${fingerprint(view, operations)}.json`, () => derive(view, operations))
  const documents = JSON.parse(text) as Record<string, string>
  return (name) => {
    const document = documents[name]
    if (document === undefined) throw new Error(`${name} has no document`)
    return parse(document)
  }
}
