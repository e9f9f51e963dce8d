/** Derivation of the REST routes and their GraphQL documents from the REST view of the schema, by SOFA. */
import {
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  printType,
} from 'graphql'
import { createSofa, createSofaRouter } from 'sofa-api'
import type { Operation } from '../gateway/operation.ts'
import { BASE_PATH } from '../lib/api.ts'
import { checkView } from './check-view.ts'
import { withoutOmitted } from './omitted.ts'

/** A route, as SOFA has it. */
export interface SofaRoute {
  /** The operation that it is a route of. */
  name: string
  method: Operation['rest']['method']
  /** Parameters are `:name`. */
  path: string
  /** Selects the fields that REST serves. The arguments are variables. */
  document: DocumentNode
}

/** What SOFA serves subscriptions by. The REST view has none. */
const OF_SUBSCRIPTIONS = ['/webhook', '/webhook/:id']

const graphqlPath = ({ kind, name }: Operation): string =>
  `${kind === 'query' ? 'Query' : 'Mutation'}.${name}`

/** Sets the AST nodes of the root types. Without them SOFA prints and parses a root type once per argument. */
function setAstNodes(schema: GraphQLSchema): void {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    if (type) type.astNode ??= parse(printType(type)).definitions[0] as ObjectTypeDefinitionNode
  }
}

/** The name of the only field of the document. */
function rootFieldOf({ definitions: [definition] }: DocumentNode): string | undefined {
  const selection =
    definition?.kind === Kind.OPERATION_DEFINITION ? definition.selectionSet.selections[0] : undefined
  return selection?.kind === Kind.FIELD ? selection.name.value : undefined
}

/** The routes of a router of fets, which SOFA makes. They are private to fets, though its types have them. */
function routesIn(router: ReturnType<typeof createSofaRouter>) {
  if (!Array.isArray(router.__routes)) throw new Error('fets keeps its routes elsewhere than in __routes')
  return router.__routes
}

/** The routes of the operations. */
export async function deriveRoutes(
  view: GraphQLSchema,
  operations: readonly Operation[],
): Promise<SofaRoute[]> {
  checkView(view, operations)
  setAstNodes(view)
  let executed: DocumentNode | undefined
  const sofa = createSofa({
    schema: view,
    basePath: BASE_PATH,
    routes: Object.fromEntries(
      operations.map((operation) => {
        const { method, path } = operation.rest
        return [graphqlPath(operation), { method, path: path.replace(/\{(\w+)\}/g, ':$1') }]
      }),
    ),
    openAPI: { endpoint: false },
    swaggerUI: { endpoint: false },
    // SOFA hands a document out only by executing it, so each handler is called once and nothing is executed.
    execute: async ({ document }) => {
      executed = document
      return { data: {} }
    },
  })
  // SOFA reduces a model, a type with a list and a by-id field, to its id wherever it is nested.
  const router = createSofaRouter({ ...sofa, models: [] })
  const routes: SofaRoute[] = []
  for (const { method, path = '', handler } of routesIn(router)) {
    if (OF_SUBSCRIPTIONS.includes(path)) continue
    executed = undefined
    await handler({ method, url: '/', body: null, params: {} } as never, {} as never)
    const name = executed && rootFieldOf(executed)
    const operation = operations.find((candidate) => candidate.name === name)
    if (!executed || !operation) throw new Error(`SOFA's route ${method} ${path} is of no operation`)
    const document = withoutOmitted(executed, operation)
    routes.push({ name: operation.name, method: method as SofaRoute['method'], path, document })
  }
  const missing = operations.filter(({ name }) => !routes.some((route) => route.name === name))
  if (missing.length > 0)
    throw new Error(`SOFA has no route for ${missing.map(({ name }) => name).join(', ')}`)
  return routes
}
