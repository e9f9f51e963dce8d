/** Tables of Markdown. */

export type Row = readonly string[]

const line = (cells: Row) => `| ${cells.join(' | ')} |`
export const table = (head: Row, rows: readonly Row[]): string =>
  [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n')

export const two = (number: number): string => (Number.isFinite(number) ? number.toFixed(2) : '–')
