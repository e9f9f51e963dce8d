/** The schema of every area, and its REST view. */
import './areas.ts'
import { GraphQLSchema } from 'graphql'
import { METHODS, type Operation, type Subscription } from '../gateway/operation.ts'
import { assertProvided } from '../lib/extension-point.ts'
import { builder } from '../schema/builder.ts'
import { operationsOf, subscriptionsOf } from '../schema/operation.ts'

export interface Schemas {
  /** Sorted by name throughout, so that its text does not depend on the order in which modules are loaded. */
  schema: GraphQLSchema
  /** The schema without graph-only fields. The fields of its types are in the order of the source. */
  rest_view: GraphQLSchema
  /** Sorted by area, path and method. */
  operations: Operation[]
  readonly subscriptions: Subscription[]
}

/** Builds the REST view at once, and the whole schema at its first use. Throws if an area lacks what others hand in. */
export function buildSchemas(from: Pick<typeof builder, 'toSchema'> = builder): Schemas {
  assertProvided()
  const rest_view = withoutSubscriptions(from.toSchema({ rest_view: true, sortSchema: false }))
  let schema: GraphQLSchema | undefined
  return {
    get schema() {
      schema ??= from.toSchema()
      return schema
    },
    get subscriptions() {
      return subscriptionsOf(this.schema)
    },
    rest_view,
    operations: operationsOf(rest_view).sort(
      (a, b) =>
        compare(a.area.slug, b.area.slug) ||
        compare(a.rest.path, b.rest.path) ||
        METHODS.indexOf(a.rest.method) - METHODS.indexOf(b.rest.method),
    ),
  }
}

/** REST has no subscriptions: SOFA would register routes for them that call any address. */
const withoutSubscriptions = (schema: GraphQLSchema): GraphQLSchema =>
  new GraphQLSchema({ ...schema.toConfig(), subscription: null, types: [] })

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))
