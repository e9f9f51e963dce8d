/** The Pothos plugin of operations: their options, and the list of operations of a built schema. */
import {
  BasePlugin,
  type FieldNullability,
  type InputFieldMap,
  type PothosOutputFieldConfig,
  type PothosOutputFieldType,
  type SchemaTypes,
  type ShapeFromTypeParam,
  type TypeParam,
} from '@pothos/core'
import type { GraphQLFieldResolver, GraphQLSchema } from 'graphql'
import { refusal } from '../access/policies/authorize.ts'
import type { Access } from '../access/policies/policies.ts'
import type { Context } from '../gateway/context.ts'
import type { Operation, OperationOptions, Subscription, SubscriptionOptions } from '../gateway/operation.ts'
import { type Approval, approvalInWords, withApproval } from './approval.ts'
import { areaOf } from './area.ts'
import { mutation } from './changes/mutation.ts'
import { includedFor, readApart } from './relations.ts'

/** The options of a root field. */
interface RootFieldOptions<Value = unknown> extends OperationOptions {
  /** In place of the approval of its area. */
  approval?: Approval
  /** The entity tag of the resource that it answers with. */
  etag?: (value: Value, ctx: Context) => string
}

const OPTIONAL = [
  'cacheable',
  'free',
  'rate',
  'limit',
  'envelope',
  'activity',
  'waits',
  'max_body_bytes',
  'ndjson',
  'takes_form',
  'also_as',
] as const

/** The approval of a mutation on the API-request channel: its own, or else its area's. */
const approvalOf = (name: string, { approval }: Pick<RootFieldOptions, 'approval'>): Approval | undefined =>
  approval ?? areaOf(name).approval

/** Every operation of the schema, in the order of its areas. */
export function operationsOf(schema: GraphQLSchema): Operation[] {
  const roots = [
    { kind: 'query', type: schema.getQueryType() },
    { kind: 'mutation', type: schema.getMutationType() },
  ] as const
  return roots.flatMap(({ kind, type }) =>
    Object.values(type?.getFields() ?? {}).map((field) => {
      const given = field.extensions.pothosOptions as RootFieldOptions
      const { rest, access, errors = [], etag } = given
      const options = Object.fromEntries(
        OPTIONAL.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
      )
      const approval = kind === 'mutation' ? approvalOf(field.name, given) : undefined
      const named = { name: field.name, kind, area: areaOf(field.name), field }
      const its = { ...(approval && { approval }), ...named, has_etag: etag !== undefined }
      return { rest, access, errors, ...options, ...its }
    }),
  )
}

/** Every subscription of the schema. */
export function subscriptionsOf(schema: GraphQLSchema): Subscription[] {
  return Object.values(schema.getSubscriptionType()?.getFields() ?? {}).map((field) => {
    const { access, errors = [], rate } = field.extensions.pothosOptions as SubscriptionOptions
    const named = { name: field.name, kind: 'subscription', area: areaOf(field.name), field } as const
    return { access, errors, ...(rate && { rate }), ...named }
  })
}

type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object, unknown>

/** null for an argument means what leaving it out means: clients send it for variables they did not set. */
function withoutNulls<Types extends SchemaTypes>(
  resolve: Resolver<Types>,
  { args }: PothosOutputFieldConfig<Types>,
): Resolver<Types> {
  const taken = Object.entries(args)
  if (taken.length === 0) return resolve
  return (root, values, ctx, info) => {
    const given = { ...values } as Record<string, unknown>
    for (const [name, { defaultValue }] of taken) if (given[name] === null) given[name] = defaultValue
    return resolve(root, given, ctx, info)
  }
}

/** Refuses viewers that may read the parent but not the field. */
function withAccessCheck<Types extends SchemaTypes>(
  resolve: Resolver<Types>,
  access: Access,
): Resolver<Types> {
  return (parent, args, ctx, info) => {
    const refused = refusal(access, (ctx as Context).viewer)
    if (refused) throw refused
    return resolve(parent, args, ctx, info)
  }
}

/** Keeps the entity tag of the value that the field answers with. */
function withEntityTag<Types extends SchemaTypes>(
  resolve: Resolver<Types>,
  etag: (value: unknown, ctx: Context) => string,
): Resolver<Types> {
  return async (parent, args, ctx, info) => {
    const value = await resolve(parent, args, ctx, info)
    ;(ctx as Context).etags.set(String(info.path.key), etag(value, ctx as Context))
    return value
  }
}

class OperationPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(
    config: PothosOutputFieldConfig<Types>,
  ): PothosOutputFieldConfig<Types> | null {
    const options = config.pothosOptions as { graph_only?: true }
    if (this.options.rest_view && options.graph_only) return null
    if (this.options.rest_view && config.kind === 'Subscription') return null
    if (config.kind !== 'Query' && config.kind !== 'Mutation' && config.kind !== 'Subscription')
      return this.relation(config)
    const approval =
      config.kind === 'Mutation'
        ? approvalOf(config.name, config.pothosOptions as RootFieldOptions)
        : undefined
    const description = approval ? `${config.description} ${approvalInWords(approval)}` : config.description
    // A failed root field is null beside the errors of the others.
    return {
      ...config,
      description,
      type: { ...config.type, nullable: true } as PothosOutputFieldType<Types>,
    }
  }

  /** A relation that Prisma includes is read only for callers who may have it. */
  private relation(config: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const { kind, extensions, pothosOptions, type } = config
    if (kind !== 'PrismaObject' || !extensions?.pothosPrismaRelationField) return config
    if (type.kind !== 'Object') return config
    const { read_apart } = this.buildCache.getTypeConfig(type.ref).pothosOptions as { read_apart?: true }
    if (read_apart) return readApart(config)
    const { access } = pothosOptions as { access?: Access }
    return access ? includedFor(config, access) : config
  }

  override wrapResolve(resolve: Resolver<Types>, config: PothosOutputFieldConfig<Types>): Resolver<Types> {
    const given = config.pothosOptions as Partial<RootFieldOptions>
    const { access, etag, activity, rest } = given
    if (config.kind === 'Subscription') return resolve
    if (config.kind !== 'Query' && config.kind !== 'Mutation')
      return access ? withAccessCheck(resolve, access) : resolve
    const approval = config.kind === 'Mutation' ? approvalOf(config.name, given) : undefined
    const waiting =
      approval && rest
        ? (withApproval(resolve as never, { ...config, rest, approval }) as Resolver<Types>)
        : resolve
    const taken = withoutNulls(waiting, config)
    const root =
      config.kind === 'Mutation'
        ? (mutation(taken as never, { activity: activity !== false }) as Resolver<Types>)
        : taken
    return etag ? withEntityTag(root, etag) : root
  }
}

export const OPERATION_PLUGIN = 'operation'

/** Registered by the builder. */
export { OperationPlugin }

declare global {
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      operation: OperationPlugin<Types>
    }
    interface BuildSchemaOptions<Types extends SchemaTypes> {
      /** Leaves out what only the graph has, so that a new relation never changes a REST shape. */
      rest_view?: boolean
    }
    interface QueryFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveReturnShape,
    > extends RootFieldOptions<ShapeFromTypeParam<Types, Type, false>> {}
    interface MutationFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveReturnShape,
    > extends RootFieldOptions<ShapeFromTypeParam<Types, Type, false>> {}
    interface SubscriptionFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveShape,
      ResolveReturnShape,
    > extends SubscriptionOptions {}
    interface ObjectFieldOptions<
      Types extends SchemaTypes,
      ParentShape,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveReturnShape,
    > {
      /** A relation that GraphQL clients walk; REST does not have it. */
      graph_only?: true
      /** The columns that it is made of, if they are not called as it is: statements select them for it. */
      columns?: readonly string[]
      /** The callers that may walk it, if not everybody who sees the object may. */
      access?: Access
    }
  }
}
