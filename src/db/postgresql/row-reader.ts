/** Rows out of the texts that PostgreSQL sends. */
import { parserOf } from '../column-types.ts'

/** A column, as PostgreSQL describes it. */
export interface ColumnDescription {
  name: string
  dataTypeID: number
}

/** Makes a row of the texts of its columns. */
export type RowReader = (texts: readonly (string | null)[]) => Record<string, unknown>

/** The reader of rows that have these columns. All of its rows have one shape, so that reading them is fast. */
export function rowReader(columns: readonly ColumnDescription[]): RowReader {
  const names = columns.map(({ name }) => name)
  const parsers = columns.map(({ dataTypeID }) => parserOf(dataTypeID))
  const empty: Record<string, unknown> = Object.fromEntries(names.map((name) => [name, null]))
  return (texts) => {
    const row = { ...empty }
    for (let at = 0; at < names.length; at++) {
      const text = texts[at] as string | null
      if (text === null) continue
      const parse = parsers[at]
      row[names[at] as string] = parse ? parse(text) : text
    }
    return row
  }
}
