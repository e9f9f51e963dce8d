/** Lists with optional filters: one statement for each shape of them, made the first time it is asked for. */
import type { Columns } from './columns.ts'
import { type DatabaseContext, scoped, sql } from './db.ts'
import type { Statement } from './sql.ts'

/** One condition of a list. Each `?` stands for the next of its values. */
export interface Condition {
  /** What it adds to the statement's name. */
  name: string
  text: string
  values?: readonly unknown[]
  /** Whether it lets through few rows or many depends on its values, and with that how they are best found. */
  custom_plan?: true
}

/**
 * The values of an enumeration that are asked for. A list of unknown length is planned anew for every request; what a
 * subquery makes of it is not.
 */
export const oneOf = (
  name: string,
  text: string,
  values: readonly string[] | null | undefined,
  enumeration = 'text',
): Condition | null =>
  values == null
    ? null
    : { name, text: `${text} = any(array(select unnest(?::text[])::${enumeration}))`, values: [values] }

const NO_COLUMNS: Columns = { name: '', text: '' }

/**
 * The statement that `write` makes of its conditions, which follow those on the tenant and its own, and of the columns
 * that are chosen. Its own values start at `$3`.
 */
export function shaped<Row>(name: string, write: (and: string, columns: string) => string) {
  const statements = new Map<string, Statement>()

  function statementOf(
    shape: string,
    conditions: readonly Condition[],
    columns: Columns,
    first: number,
  ): Statement {
    let next = first
    const and = conditions.map(({ text }) => ` and ${text.replaceAll('?', () => `$${next++}`)}`).join('')
    const custom_plan = conditions.some((condition) => condition.custom_plan)
    const made: Statement = {
      ...scoped(shape, write(and, columns.text)),
      ...(custom_plan && { custom_plan }),
    }
    statements.set(shape, made)
    return made
  }

  return async (
    reach: DatabaseContext,
    own: readonly unknown[],
    optional: readonly (Condition | null)[],
    columns: Columns = NO_COLUMNS,
  ): Promise<Row[]> => {
    const conditions = optional.filter((condition) => condition !== null)
    const parts = [name, columns.name, ...conditions.map((condition) => condition.name)]
    const shape = parts.filter((part) => part !== '').join(' ')
    const query = statements.get(shape) ?? statementOf(shape, conditions, columns, 3 + own.length)
    return await sql<Row>(reach, query, [...own, ...conditions.flatMap(({ values = [] }) => values)])
  }
}

/** The largest page, and the row that tells whether there is another. */
const MOST_ROWS = 201

/**
 * The rows in the order `by`, at most `limit` of them. PostgreSQL takes a limit that it does not know for a tenth of
 * all rows, and makes a new plan for every call; with the limit that it knows it keeps one plan.
 */
export const firstOf = (rows: string, by: string, limit: string): string =>
  `select * from (${rows} order by ${by} limit ${MOST_ROWS}) most order by ${by} limit ${limit}`
