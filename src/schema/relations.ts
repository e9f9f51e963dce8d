/** Relations of Prisma: who may have them, and how rows that came without them get them. */
import type { PothosOutputFieldConfig, SchemaTypes } from '@pothos/core'
import type { GraphQLResolveInfo } from 'graphql'
import { refusal } from '../access/policies/authorize.ts'
import type { Access } from '../access/policies/policies.ts'
import type { Context } from '../gateway/context.ts'

/**
 * Makes the options of a relation: statements select these columns if it is asked for, and `load` reads the relation of a
 * row that came without it, as the rows of lists do.
 */
export const loadedBy =
  <Row extends object>() =>
  <const Name extends keyof Row & string, Result>(
    columns: readonly Name[],
    load: (row: Pick<Row, Name>, ctx: Context, info: GraphQLResolveInfo) => Result,
  ) => ({
    columns,
    resolve: (_query: object, row: object, _args: object, ctx: Context, info: GraphQLResolveInfo) =>
      load(row as Row, ctx, info),
  })

type Select = (args: object, ctx: Context, ...planner: unknown[]) => unknown
type Fallback = (query: object, ...resolving: [unknown, object, object, GraphQLResolveInfo]) => unknown

interface Relation {
  pothosPrismaSelect: Select
  pothosPrismaFallback: Fallback
}

/** The relation, as a row is read together with it only for callers who may walk it. */
export function includedFor<Types extends SchemaTypes>(
  config: PothosOutputFieldConfig<Types>,
  access: Access,
): PothosOutputFieldConfig<Types> {
  const { pothosPrismaSelect: select } = config.extensions as unknown as Relation
  const checked: Select = (args, ctx, ...planner) =>
    refusal(access, ctx.viewer) ? null : select(args, ctx, ...planner)
  return { ...config, extensions: { ...config.extensions, pothosPrismaSelect: checked } }
}

/** The relation as a field that its `resolve` alone reads, whichever way its row came. */
export function readApart<Types extends SchemaTypes>(
  config: PothosOutputFieldConfig<Types>,
): PothosOutputFieldConfig<Types> {
  const { pothosPrismaSelect: _never, ...extensions } = config.extensions as Record<string, unknown>
  const load = extensions.pothosPrismaFallback as Fallback | undefined
  if (!load)
    throw new Error(`${config.parentType}.${config.name} has no \`resolve\`, which checks who sees it`)
  return {
    ...config,
    extensions,
    resolve: (row, args, ctx, info) => load({}, row, args, ctx as object, info),
  }
}
