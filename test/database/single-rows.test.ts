/** A single row is read by Prisma. A hand-written statement for one has its reason in `single_rows` of its area's suites. */
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { knownStatements } from '../../src/db/sql.ts'
import { together } from '../setup/suites/areas.ts'

const FILES = globSync('src/areas/**/*.ts')
// Statements are known once their file is loaded.
for (const file of FILES) await import(resolve(file))

const REASONS = together(({ single_rows }) => single_rows)

/** The columns of each key of each table, beside the tenancy. */
const KEYS = new Map<string, string[]>()
for (const file of globSync('prisma/*.prisma'))
  for (const [, body = ''] of readFileSync(file, 'utf8').matchAll(/^model \w+ \{\n(.*?)^\}/gms)) {
    const [, table = ''] = /@@map\("(\w+)"\)/.exec(body) ?? []
    const composite = [...body.matchAll(/@@(?:id|unique)\(\[([^\]]+)\]/g)].map(([, columns = '']) => columns)
    const single = [...body.matchAll(/^ +(\w+) .*@(?:id|unique)\b/gm)].map(([, column = '']) => column)
    KEYS.set(table, [...composite, ...single].map(keyOf))
  }

/** The names of the columns, but for the tenancy, in one text. */
function keyOf(columns: string): string {
  const names = columns.split(',').map((column) => column.trim())
  return names
    .filter((name) => name !== 'tenant_id' && name !== 'environment')
    .sort()
    .join()
}

/** A statement that reads columns of one table. Prisma neither locks, nor computes. */
const OF_ONE_TABLE =
  /^select (?!.*\b(?:select|count|sum|coalesce|for update|for share|for no key update)\b).* from (\w+)(?: \w)? where (.*)$/

function readsOneByItsKey(text: string): boolean {
  const [, table = '', condition = ''] = OF_ONE_TABLE.exec(text.replace(/\s+/g, ' ').trim()) ?? []
  const given = new Set([...condition.matchAll(/(\w+) = \$\d/g)].map(([, column = '']) => column))
  return (
    KEYS.get(table)?.some((key) => key.split(',').every((column) => column === '' || given.has(column))) ??
    false
  )
}

test('each statement that reads one row by its key has a reason', () => {
  const sources = FILES.map((file) => readFileSync(file, 'utf8')).join('\n')
  const found = [...knownStatements()].flatMap(([name, text]) =>
    sources.includes(`'${name}'`) && readsOneByItsKey(text) ? [name] : [],
  )
  const missing = found.filter((name) => !(name in REASONS))
  expect(missing, 'single_rows of test/areas/<area>/suites.ts lacks these statements').toEqual([])
  expect(found.sort()).toEqual(Object.keys(REASONS).sort())
})
