/** Comma-separated values, by RFC 4180. */

/** Text that a spreadsheet would run as a formula. */
const FORMULA = /^[\s\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/

const SPECIAL = /[",\r\n]/

/** A cell for text that others wrote: behind an apostrophe, a spreadsheet shows a formula and does not run it. */
const cellOf = (value: string): string => {
  const shown = FORMULA.test(value) ? `'${value}` : value
  return SPECIAL.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown
}

/** One line with its end. null is an empty cell. */
export const csvLine = (cells: readonly (string | null)[]): string =>
  `${cells.map((cell) => (cell === null ? '' : cellOf(cell))).join(',')}\r\n`
