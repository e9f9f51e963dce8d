/**
 * The GraphQL documents of the REST operations. Loading SOFA takes a quarter of a start, so the documents that it derives
 * are cached on disk, beside the compile cache, until the REST view changes.
 */
import { createHash } from 'node:crypto'
import { type DocumentNode, type GraphQLSchema, parse, print, printSchema } from 'graphql'
import type { Operation } from '../gateway/operation.ts'
import { cachedInFile } from '../lib/file-cache.ts'

/** Returns the document of the operation with that name. */
export type DocumentOf = (name: string) => DocumentNode

/** A hash of everything that the documents are derived from. */
function fingerprint(view: GraphQLSchema, operations: readonly Operation[]): string {
  const routes = operations.map(({ name, rest }) => `${name} ${JSON.stringify(rest)}`)
  return createHash('sha256')
    .update(`${printSchema(view)}\n${routes.join('\n')}`)
    .digest('hex')
}

async function deriveText(view: GraphQLSchema, operations: readonly Operation[]): Promise<string> {
  const { deriveDocuments } = await import('./sofa.ts')
  const documents = await deriveDocuments(view, operations)
  return JSON.stringify(Object.fromEntries([...documents].map(([name, document]) => [name, print(document)])))
}

/** The documents of the operations, from the cache where it has those of the same view. */
export async function operationDocuments(
  view: GraphQLSchema,
  operations: readonly Operation[],
): Promise<DocumentOf> {
  const text = await cachedInFile(`documents/${fingerprint(view, operations)}.json`, () =>
    deriveText(view, operations),
  )
  const documents = JSON.parse(text) as Record<string, string>
  return (name) => {
    const document = documents[name]
    if (document === undefined) throw new Error(`${name} has no document`)
    return parse(document)
  }
}
