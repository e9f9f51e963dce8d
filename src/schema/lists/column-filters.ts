/** Filters by columns: the type of the argument, and the SQL of the condition, are those of the column. */
import type { InputRef } from '@pothos/core'
import { type Column, type ModelName, type Row, sqlTypeOf } from '../../db/query/models.ts'
import { columnType } from '../column-type.ts'
import { anyOf, type Filter, facet, indexed } from './list.ts'

type Value<Name extends ModelName, Of extends Column<Name>> = InputRef<NonNullable<Row<Name>[Of]>>

/**
 * facet: the column is a facet of the list.
 * indexed: an index has the rows of a value, in the order of the list or few of them.
 */
type Found = 'facet' | 'indexed'

const CONDITIONS = { facet, indexed }

/** The ways to filter rows of the model, which the SQL of the list calls `alias`. */
export function filtersOf<Name extends ModelName>(model: Name, alias: string) {
  return {
    /** Rows whose column is the value. */
    is<const Of extends Column<Name>>(
      column: Of,
      description: string,
      found?: Found,
    ): Filter<Value<Name, Of>> {
      const { type } = columnType(model, column)
      const cast = `${typeof type === 'object' ? 'text::' : ''}${sqlTypeOf(model, column)}`
      const text = `${alias}.${column} = ?::${cast}`
      const bounds = type === 'Int' && { min: 1 }
      return { ...bounds, type: type as never, description, where: found ? CONDITIONS[found](text) : text }
    },
    /** Rows whose column, an enumeration, is one of the values: `Only keys in one of these states`. */
    isOneOf<const Of extends Column<Name>>(
      column: Of,
      rows: string,
      found?: 'facet' | null,
      note = '',
    ): Filter<[Value<Name, Of>]> {
      const [name, type] = [`${alias}.${column}`, sqlTypeOf(model, column)]
      return {
        type: [columnType(model, column).type] as never,
        min_items: 1,
        description: `${rows}: separated by commas, or repeated.${note}`,
        where: found ? facet(`${name} = any(?::text[]::${type}[])`) : (anyOf(name, type) as never),
      }
    },
    /** Rows of the instant or later: of `executions created` at it. */
    since: (column: Column<Name>, rows: string): Filter<'DateTime'> => ({
      type: 'DateTime',
      description: `Only ${rows} at this instant or later.`,
      where: `${alias}.${column} >= ?::timestamptz`,
    }),
    /** Rows before the instant, of a list in the order of the column, the latest first. */
    before: (column: Column<Name>, rows: string): Filter<'DateTime'> => ({
      type: 'DateTime',
      description: `Only ${rows} before this instant, which must be later than \`from\`.`,
      // Every cursor is before `to`, and with both conditions PostgreSQL would start its scan at `to`.
      where: (to) => ({ text: `${alias}.${column} < ?::timestamptz`, values: [to], is_start: true }),
    }),
  }
}
