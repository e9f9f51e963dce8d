/** The `id` of entities that REST identifies otherwise: normalised caches of GraphQL clients hold an entity once by it. */
import type { Context } from '../../gateway/context.ts'
import { madeOf } from '../row-type.ts'

/** The options of a graph-only `id`, whose text is unique among the entities of the type. */
const ENTITY_ID = {
  graph_only: true,
  description: 'Opaque identifier, unique among all of this type in the tenant and environment.',
} as const

/** The `id` of a row: its columns, with slashes between them. */
export const rowId = <Row extends object>(...columns: (keyof Row & string)[]) => ({
  ...ENTITY_ID,
  ...madeOf<Record<string, unknown>>()(columns, (row) => columns.map((column) => row[column]).join('/')),
})

/** The `id` of a row of which the tenant has one in an environment. */
export const onlyRowId = (id: string) => ({ ...ENTITY_ID, ...madeOf()([], () => id) })

/** The `id` of an entity that is no row. */
export const entityId = <Entity>(identify: (entity: Entity, ctx: Context) => string) =>
  ({ ...ENTITY_ID, resolve: (entity: Entity, _args: object, ctx: Context) => identify(entity, ctx) }) as const
