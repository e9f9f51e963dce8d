import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvLine } from '../../src/lib/csv.ts'

/** Reads lines by RFC 4180. */
function read(text: string): string[][] {
  const lines: string[][] = []
  let cells: string[] = []
  for (const [whole, quoted, plain = '', end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g,
  )) {
    if (whole === '') break
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === ',') continue
    lines.push(cells)
    cells = []
  }
  return lines
}

const cell = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('=1+1', '+1', '-1', '@a', '\t=1', ' =1', '\ufeff=1', '＝1', '"', ',', '\r\n', "'", ''),
)

test('a reader gets every cell back, a formula behind an apostrophe', () => {
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 1 }), { minLength: 1 }), (lines) => {
      const back = read(lines.map(csvLine).join(''))
      expect(back.map((cells) => cells.length)).toEqual(lines.map((cells) => cells.length))
      for (const [index, cells] of back.entries())
        for (const [place, shown] of cells.entries()) {
          const sent = lines[index]?.[place] ?? ''
          expect([sent, `'${sent}`]).toContain(shown)
          expect(shown).not.toMatch(/^[\s\ufeff]*[=+\-@＝＋－＠]/)
        }
    }),
  )
})

test.each([
  [['a', null, ''], 'a,,\r\n'],
  [['a,b', 'c"d', 'e\nf'], '"a,b","c""d","e\nf"\r\n'],
  [['=1', '-1', '@a', '\t1', "it's"], `'=1,'-1,'@a,'\t1,it's\r\n`],
])('%o is %j', (cells, line) => expect(csvLine(cells)).toBe(line))
