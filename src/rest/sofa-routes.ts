/**
 * The REST routes as SOFA has them. Loading SOFA takes a quarter of a start, so what it derives is cached on disk, beside
 * the compile cache, until the REST view changes.
 */
import { createHash } from 'node:crypto'
import { type DocumentNode, type GraphQLSchema, parse, print, printSchema } from 'graphql'
import type { Operation } from '../gateway/operation.ts'
import { cachedInFile } from '../lib/file-cache.ts'
import type { SofaRoute } from './sofa.ts'

/** A route with the text of its document. */
type StoredRoute = Omit<SofaRoute, 'document'> & { text: string }

/** The text of each view that routes were derived from. */
const printed = new WeakMap<GraphQLSchema, string>()

function textOf(view: GraphQLSchema): string {
  const text = printed.get(view) ?? printSchema(view)
  printed.set(view, text)
  return text
}

/** A hash of everything that the routes are derived from. */
function fingerprint(view: GraphQLSchema, operations: readonly Operation[]): string {
  const routes = operations.map(({ name, rest }) => `${name} ${JSON.stringify(rest)}`)
  return createHash('sha256')
    .update(`${textOf(view)}\n${routes.join('\n')}`)
    .digest('hex')
}

async function derive(view: GraphQLSchema, operations: readonly Operation[]): Promise<StoredRoute[]> {
  const { deriveRoutes } = await import('./sofa.ts')
  const routes = await deriveRoutes(view, operations)
  return routes.map(({ document, ...route }) => ({ ...route, text: print(document) }))
}

/** Returns the document of the operation with that name. */
export type DocumentOf = (name: string) => DocumentNode

export interface SofaRoutes {
  routes: readonly Pick<SofaRoute, 'name' | 'method' | 'path'>[]
  documentOf: DocumentOf
}

/** The routes of the operations, from the cache if it has those of the same view. */
export async function sofaRoutes(view: GraphQLSchema, operations: readonly Operation[]): Promise<SofaRoutes> {
  const name = `routes/${fingerprint(view, operations)}.json`
  const cached = await cachedInFile(name, async () => JSON.stringify(await derive(view, operations)))
  const routes = JSON.parse(cached) as StoredRoute[]
  const texts = new Map(routes.map((route) => [route.name, route.text]))
  return {
    routes,
    documentOf(name) {
      const text = texts.get(name)
      if (text === undefined) throw new Error(`${name} has no document`)
      return parse(text)
    },
  }
}
