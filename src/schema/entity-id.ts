/** The `id` of entities that REST identifies otherwise: normalised caches of GraphQL clients hold an entity once by it. */
import type { Context } from '../gateway/context.ts'

/** Options of a graph-only `id`; `identify` returns text that is unique among the entities of the type. */
export const entityId = <Entity>(identify: (entity: Entity, ctx: Context) => string) =>
  ({
    graph_only: true,
    description: 'Opaque identifier, unique among all of this type in the tenant and environment.',
    resolve: (entity: Entity, _args: object, ctx: Context) => identify(entity, ctx),
  }) as const
