/** Derivation of each operation's GraphQL document from the REST view of the schema, by SOFA. */
import {
  type DocumentNode,
  type GraphQLSchema,
  type ObjectTypeDefinitionNode,
  parse,
  printType,
} from 'graphql'
import { createSofa, createSofaRouter } from 'sofa-api'
import type { Operation } from '../gateway/operation.ts'
import { BASE_PATH } from '../lib/api.ts'
import { checkView } from './check-view.ts'
import { withoutOmitted } from './omitted.ts'
import { routerPath } from './routes.ts'

const graphqlPath = ({ kind, name }: Operation): string =>
  `${kind === 'query' ? 'Query' : 'Mutation'}.${name}`

/** Sets the AST nodes of the root types. Without them SOFA prints and parses a root type once per argument. */
function setAstNodes(schema: GraphQLSchema): void {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    if (type) type.astNode ??= parse(printType(type)).definitions[0] as ObjectTypeDefinitionNode
  }
}

/** The document of every operation, by name: the fields that REST serves, the arguments as variables. */
export async function deriveDocuments(
  view: GraphQLSchema,
  operations: readonly Operation[],
): Promise<Map<string, DocumentNode>> {
  checkView(view, operations)
  setAstNodes(view)
  const documents = new Map<string, DocumentNode>()
  let current = ''
  const sofa = createSofa({
    schema: view,
    basePath: BASE_PATH,
    routes: Object.fromEntries(
      operations.map((operation) => {
        const { method, path } = operation.rest
        return [graphqlPath(operation), { method, path: routerPath(path) }]
      }),
    ),
    openAPI: { endpoint: false },
    swaggerUI: { endpoint: false },
    // SOFA hands a document out only by executing it, so each handler is called once and nothing is executed.
    execute: async ({ document }) => {
      documents.set(current, document)
      return { data: {} }
    },
  })
  // SOFA reduces a model, a type with a list and a by-id field, to its id wherever it is nested.
  const router = createSofaRouter({ ...sofa, models: [] })
  for (const operation of operations) {
    const { name, rest } = operation
    const path = routerPath(rest.path)
    const route = router.__routes.find(
      (candidate) => candidate.method === rest.method && candidate.path === path,
    )
    current = name
    await route?.handler({ method: rest.method, url: '/', body: null, params: {} } as never, {} as never)
    const document = documents.get(name)
    if (!document) throw new Error(`SOFA derived no document for ${name}`)
    documents.set(name, withoutOmitted(document, operation))
  }
  return documents
}
