/** Demo data as tables: a line for each row, with its cells between bars. */

/** Reads a cell. */
export type Column<Value> = (cell: string) => Value

export const text: Column<string> = (cell) => cell

export const number: Column<number> = (cell) => {
  if (cell === '' || Number.isNaN(Number(cell))) throw new Error(`${cell} is not a number`)
  return Number(cell)
}

/** Texts between commas. */
export const list: Column<string[]> = (cell) => (cell === '' ? [] : cell.split(', '))

export const numbers: Column<number[]> = (cell) => list(cell).map(number)

/** The fields of a JSON object, without its braces. */
export const fields: Column<Record<string, unknown>> = (cell) => JSON.parse(`{${cell}}`)

/** null for an empty cell. */
export const optional =
  <Value>(column: Column<Value>): Column<Value | null> =>
  (cell) =>
    cell === '' ? null : column(cell)

/** One of the values of an enumeration. */
export function oneOf<const Value extends string>(
  values: readonly Value[] | Readonly<Record<string, Value>>,
) {
  const known: readonly Value[] = Object.values(values)
  return (cell: string): Value => {
    const value = known.find((one) => one === cell)
    if (value === undefined) throw new Error(`${cell} is not one of ${known.join(', ')}`)
    return value
  }
}

/** The rows of the table, whose columns are read in the order in which they are named. */
export function table<Row>(columns: { [Name in keyof Row]: Column<Row[Name]> }, lines: string): Row[] {
  const names = Object.keys(columns) as (keyof Row & string)[]
  return lines
    .trim()
    .split('\n')
    .map((line) => {
      const cells = line.split('|').map((cell) => cell.trim())
      if (cells.length !== names.length) throw new Error(`${line} does not have ${names.length} cells`)
      return Object.fromEntries(names.map((name, place) => [name, columns[name](cells[place] ?? '')])) as Row
    })
}
