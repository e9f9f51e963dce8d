/** The operations on a declared table: each says its route, its access and what it does, and the table gives the rest. */
import type { InputFieldMap, ObjectRef } from '@pothos/core'
import type { GraphQLResolveInfo } from 'graphql'
import type { ModelName } from '../../db/query/models.ts'
import type { ErrorCode } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import type { defineArea, SchemaTypes } from '../builder.ts'
import { type Change, change } from '../changes/change.ts'
import type { Revisioned } from '../changes/row-update.ts'
import type { FilterType, List } from '../lists/list.ts'
import { listOperation, type NamedOperation } from '../lists/list-operation.ts'
import { NO_FIELDS, wantedFields } from '../selection.ts'
import type { Removal, Table } from './declaration.ts'
import type { NewRow } from './prisma-rows.ts'

type Awaitable<Value> = Value | Promise<Value>

type Id = string & number

/** An input type, and the values that it takes. */
interface InputType<Input> {
  readonly $inferInput: Input
}

/** The values of an operation: what was sent, and the key of the row. */
interface Call<Input> {
  input: Input
  id: Id
}

type Given = Readonly<Record<string, unknown>>

interface RestoreOptions<State extends string> extends NamedOperation {
  /** The states in which a version is restored; every state if it is left out. */
  from?: readonly State[]
}

/** The ways to put operations on the table into the area. */
export function onTable<
  Name extends ModelName,
  Row extends Revisioned,
  Written extends keyof Row & string,
  State extends string,
>(area: ReturnType<typeof defineArea>, table: Table<Name, Row, Written, State>) {
  const { type, argument, key, etag, not_found } = table
  const of_row = (errors: readonly ErrorCode[] = [], last: readonly ErrorCode[] = []): ErrorCode[] => [
    not_found,
    ...errors,
    ...last,
  ]
  /** The arguments of an operation on one row. */
  const args = (t: { arg: unknown }, input?: object): InputFieldMap => {
    const arg = t.arg as (options: object) => never
    return { [argument]: arg(key), ...(input && { input: arg(input) }) }
  }
  const callOf = <Input>(given: Given): Call<Input> =>
    ({ input: given.input, id: given[argument] }) as Call<Input>

  return {
    /** Lists rows. */
    list<Types extends Record<string, FilterType>>(
      name: string,
      list: List<Row, Types>,
      options: NamedOperation,
    ): void {
      listOperation(area, name, list, { ...options, of: type })
    },

    /** Gets a row: by Prisma, if Prisma reads every computed column. */
    read(name: string, { errors, ...options }: NamedOperation): void {
      const common = { ...options, errors: of_row(errors), etag }
      area.query(name, (t) =>
        table.by_prisma
          ? t.prismaField({
              ...common,
              type: type as never,
              args: args(t),
              resolve: (
                query: object,
                _root: unknown,
                given: Given,
                ctx: Context,
                info: GraphQLResolveInfo,
              ) => table.read(ctx, callOf(given).id, query, wantedFields(info)),
            } as never)
          : t.field({
              ...common,
              type,
              args: args(t),
              resolve: (_root, given, ctx, info) =>
                table.select(ctx, callOf(given).id, wantedFields(info)) as never,
            }),
      )
    },

    /** Inserts a row with the values that its input makes, and answers with it, read as `read` reads it. */
    create<Input>(
      name: string,
      {
        input,
        values,
        action,
        errors = [],
        ...options
      }: NamedOperation & {
        input: InputType<Input>
        values(ctx: Context, input: Input): Awaitable<NewRow<Name>>
        action?: string
      },
    ): void {
      async function insert(query: object, _root: unknown, given: { input: Input }, ctx: Context) {
        const row = await table.create(ctx, await values(ctx, given.input), action, query)
        ctx.location = `${options.rest.path}/${table.named(row).id}`
        return row
      }
      area.mutation(name, (t) => {
        const common = {
          ...options,
          errors: [...new Set([...errors, ...table.taken])],
          type,
          etag,
          args: { input: t.arg({ type: input as never, required: true }) },
        }
        return table.by_prisma
          ? t.prismaField({ ...common, resolve: insert } as never)
          : t.field({ ...common, resolve: insert.bind(undefined, {}) as never })
      })
    },

    /** Changes a row as its input, if it takes one, and the rule of the change say. */
    change<Input = undefined, const Required extends boolean = true>(
      name: string,
      {
        input,
        input_required = true as Required,
        change: changeBy,
        errors,
        ...options
      }: NamedOperation & {
        input?: InputType<Input>
        /** false: the input may be left out. */
        input_required?: Required
        change(
          ctx: Context,
          call: Call<Required extends true ? Input : Input | undefined>,
        ): Awaitable<Change<Row, Written, State>>
      },
    ): void {
      area.mutation(name, (t) =>
        t.field({
          ...options,
          errors: of_row(errors, ['version_conflict']),
          type,
          etag,
          args: args(
            t,
            input && {
              type: input,
              ...(input_required ? { required: true } : { description: 'May be left out.' }),
            },
          ),
          resolve: (async (_root: unknown, given: Given, ctx: Context) => {
            const call = callOf<never>(given)
            const declared = await changeBy(ctx, call)
            return await change(ctx, table, table.lock(ctx, call.id), declared as never)
          }) as never,
        }),
      )
    },

    /** The operations on versions: they are listed without large columns, read, and restored. */
    versions(
      { of, summary }: Record<'of' | 'summary', ObjectRef<SchemaTypes, unknown>>,
      { list, read, restore }: { list: NamedOperation; read: NamedOperation; restore: RestoreOptions<State> },
    ): void {
      const { versions } = table
      if (!versions) throw new Error(`${table.noun} keeps no versions`)
      const name = `${table.noun}_version`
      const check = (ctx: Context, given: Given) => table.select(ctx, callOf(given).id, NO_FIELDS)
      const version = {
        type: 'Int',
        required: true,
        unknown: versions.not_found,
        description: 'The number of the version.',
      } as const
      const of_version = (t: { arg: unknown }) => ({
        ...args(t),
        version: (t.arg as (options: object) => never)(version),
      })
      listOperation(area, `${name}s`, versions.list, {
        ...list,
        of: summary,
        page: versions.model,
        errors: of_row(),
        check,
      })
      area.query(name, (t) =>
        t.prismaField({
          ...read,
          errors: of_row([versions.not_found]),
          type: of as never,
          args: of_version(t),
          async resolve(query: object, _root: unknown, given: Given, ctx: Context) {
            await check(ctx, given)
            return await versions.read(ctx, callOf(given).id, given.version as number, query)
          },
        } as never),
      )
      const { from, errors = [], ...options } = restore
      area.mutation(`restore_${name}`, (t) =>
        t.field({
          ...options,
          errors: of_row([versions.not_found, ...errors], ['version_conflict']),
          type,
          etag,
          args: of_version(t),
          resolve: (async (_root: unknown, given: Given, ctx: Context) => {
            const row = await table.lock(ctx, callOf(given).id)
            const restores = given.version as number
            const kept: Partial<Row> = await versions.read(ctx, callOf(given).id, restores)
            const restored = Object.fromEntries(versions.content.map((column) => [column, kept[column]]))
            const decide = () => restored as never
            return await change(ctx, table, row, {
              verb: 'restored',
              restores,
              decide,
              ...(from && { from }),
            })
          }) as never,
        }),
      )
    },

    /** Deletes a row, and answers with it as it was. */
    remove(
      name: string,
      { removal, errors, ...options }: NamedOperation & { removal?(ctx: Context): Removal<Row> },
    ): void {
      area.mutation(name, (t) =>
        t.field({
          ...options,
          errors: of_row(errors, ['version_conflict']),
          type,
          etag,
          args: args(t),
          resolve: ((_root: unknown, given: Given, ctx: Context) =>
            table.remove(ctx, callOf(given).id, removal?.(ctx))) as never,
        }),
      )
    },
  }
}
