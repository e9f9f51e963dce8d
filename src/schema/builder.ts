/** The schema builder: the plugins and scalars that every area uses. */
import SchemaBuilder, {
  type EnumRef,
  type MutationFieldBuilder,
  type QueryFieldBuilder,
  type SubscriptionFieldBuilder,
} from '@pothos/core'
import PrismaPlugin from '@pothos/plugin-prisma'
import { db } from '../db/db.ts'
import { getDatamodel } from '../db/generated/pothos.ts'
import type { Context } from '../gateway/context.ts'
import { type DefinedArea, placeIn } from './area.ts'
import { BOUNDS_PLUGIN, BoundsPlugin } from './bounds/bounds-plugin.ts'
import { type EnumName, enumOptions, type Models, type Word } from './models.ts'
import { OPERATION_PLUGIN, OperationPlugin } from './operation.ts'

interface Types {
  Context: Context
  PrismaTypes: Models
  DefaultFieldNullability: false
  Scalars: {
    DateTime: { Input: Date; Output: Date }
    EmailAddress: { Input: string; Output: string }
    IP: { Input: string; Output: string }
    JSON: { Input: unknown; Output: unknown }
    LocalDate: { Input: string; Output: string }
    NonNegativeFloat: { Input: number; Output: number }
    NonNegativeInt: { Input: number; Output: number }
    TimeZone: { Input: string; Output: string }
    URL: { Input: string; Output: string }
  }
}

SchemaBuilder.registerPlugin(BOUNDS_PLUGIN, BoundsPlugin)
SchemaBuilder.registerPlugin(OPERATION_PLUGIN, OperationPlugin)

const MUTATIONS =
  'A mutation answers with the objects that it changed: a normalised cache, which holds an object once by its type and ' +
  '`id`, has them as they are. Fetch again the lists in which rows come, go or move, `activity_log`, and figures; ' +
  'after a change of an agent, `agent_revisions` and `agent_shares` too.'

/** A builder with the plugins that every schema of the service has. */
export function newBuilder() {
  const made = new SchemaBuilder<Types>({
    plugins: [OPERATION_PLUGIN, BOUNDS_PLUGIN, PrismaPlugin],
    defaultFieldNullability: false,
    prisma: {
      client: (ctx) => db(ctx) as never,
      dmmf: getDatamodel(),
      exposeDescriptions: true,
      onUnusedQuery: 'error',
    },
  })
  made.queryType()
  made.mutationType({ description: MUTATIONS })
  return made
}

export const builder = newBuilder()
builder.subscriptionType()

export type SchemaTypes = (typeof builder)['$inferSchemaTypes']

type Query = QueryFieldBuilder<SchemaTypes, SchemaTypes['Root']>
type Mutation = MutationFieldBuilder<SchemaTypes, SchemaTypes['Root']>
type Subscription = SubscriptionFieldBuilder<SchemaTypes, SchemaTypes['Root']>

/** An area, and the ways to add operations and subscriptions to it. */
export function defineArea(area: DefinedArea) {
  return {
    query(name: string, field: (t: Query) => ReturnType<Query['field']>): void {
      placeIn(area, name)
      builder.queryField(name, field)
    },
    mutation(name: string, field: (t: Mutation) => ReturnType<Mutation['field']>): void {
      placeIn(area, name)
      builder.mutationField(name, field)
    },
    subscription(name: string, field: (t: Subscription) => ReturnType<Subscription['field']>): void {
      placeIn(area, name)
      builder.subscriptionField(name, field)
    },
  }
}

/** The values of an enumeration, from what each means. */
export const described = <Name extends string>(meanings: Readonly<Record<Name, string>>) =>
  Object.fromEntries(
    Object.entries<string>(meanings).map(([name, description]) => [name, { description }]),
  ) as Record<Name, { description: string }>

const enums = new Map<EnumName, unknown>()

/** An enumeration of the Prisma schema, with its descriptions there. */
export function enumFrom<Name extends EnumName>(name: Name): EnumRef<SchemaTypes, Word<Name>> {
  const known =
    enums.get(name) ?? builder.enumType<Name, Record<Word<Name>, object>>(name, enumOptions(name) as never)
  enums.set(name, known)
  return known as EnumRef<SchemaTypes, Word<Name>>
}
