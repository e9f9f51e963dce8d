/**
 * The versions of a declared table's rows. A new row stores its first version, and each change of its content the next one.
 * A version never changes: it is listed, read, and restored as a further version.
 */
import { callerOf, recordedName } from '../../access/viewer.ts'
import { type DatabaseContext, db, ownKey } from '../../db/db.ts'
import { descending } from '../../db/query/keyset.ts'
import type { ModelName } from '../../db/query/models.ts'
import { projection } from '../../db/query/projection.ts'
import { found, type UnknownIdCode } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { defineList, type List } from '../lists/list.ts'

/** The model has the content, the key of the row by the name of its argument, and the columns of `Origin`. */
export interface VersionsDeclaration<Row> {
  model: ModelName
  /** The columns that a version keeps. */
  content: readonly (keyof Row & string)[]
  /** The code for a version that the row does not have. */
  not_found: UnknownIdCode
}

interface Origin {
  version: number
  restored_from_version: number | null
  created_by_name: string
  created_at: Date
}

export interface Versions<Row> extends VersionsDeclaration<Row> {
  /** Stores the version that the row has now. */
  store(ctx: Context, row: Row, restored_from_version?: number | null): Promise<void>
  /** The version, or 404; `query` is of the field that answers with it. */
  read(ctx: DatabaseContext, id: string, version: number, query?: object): Promise<Origin & Partial<Row>>
  /** The versions of one row, the latest first. */
  list: List<object, Record<string, 'ID'>>
}

interface Rows {
  create(args: object): Promise<unknown>
  findUnique(args: object): Promise<never>
}

/** The versions of rows with the key, of which `argument` is the name elsewhere. */
export function versionsOf<Row extends object>(
  declaration: VersionsDeclaration<Row>,
  {
    name,
    argument,
    key,
    options,
  }: { name: string; argument: string; key: string; options: { type: 'ID'; description: string } },
): Versions<Row> {
  const { model, content, not_found } = declaration
  const delegate = model.charAt(0).toLowerCase() + model.slice(1)
  const rowsOf = (ctx: DatabaseContext) => db(ctx)[delegate as never] as unknown as Rows
  return {
    ...declaration,
    async store(ctx, row, restored_from_version = null) {
      const values = Object.fromEntries(content.map((column) => [column, row[column]]))
      const { [key]: id, version } = row as Record<string, unknown>
      const origin = {
        restored_from_version,
        created_by_name: recordedName(callerOf(ctx)),
        created_at: ctx.now,
      }
      await rowsOf(ctx).create({ data: ownKey(ctx, { [argument]: id, version, ...values, ...origin }) })
    },
    async read(ctx, id, version, query = {}) {
      const where = {
        [`tenant_id_environment_${argument}_version`]: ownKey(ctx, { [argument]: id, version }),
      }
      return found(await rowsOf(ctx).findUnique({ ...query, where }), not_found, version)
    },
    list: defineList<object>()({
      name: `${name}_versions`,
      from: `${name}_version v`,
      columns: projection(model, 'v', { always: [argument, 'version'] }),
      order: [descending('version', 'int')],
      filters: { [argument]: { ...options, where: `v.${argument} = ?::text` } },
    }) as never,
  }
}
