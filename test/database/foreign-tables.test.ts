/**
 * A table belongs to the area of its Prisma file. The SQL of other areas reads it through the views that the owner exports.
 * Other names in the SQL of an area are in `foreign_tables` of its suites, with their reason.
 */
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { AREAS } from '../setup/suites/areas.ts'

/** The tables that areas say they name of another one, each with its area. */
const FOREIGN = Object.entries(AREAS).flatMap(([area, { foreign_tables = {} }]) =>
  Object.keys(foreign_tables).map((table) => `${area}: ${table}`),
)

/** The area of each table, and the table of each of Prisma's delegates. */
const owners = new Map<string, string>()
const tables = new Map<string, string>()
for (const file of globSync('prisma/*.prisma'))
  for (const [, model = '', body = ''] of readFileSync(file, 'utf8').matchAll(
    /^model (\w+) \{\n(.*?)^\}/gms,
  )) {
    const [, table = ''] = /@@map\("(\w+)"\)/.exec(body) ?? []
    owners.set(table, file.replace(/^prisma\/|\.prisma$/g, ''))
    tables.set(model.charAt(0).toLowerCase() + model.slice(1), table)
  }

/** The tables that the source names, by SQL and by Prisma. */
function tablesIn(source: string): string[] {
  const code = source.replace(/\/\*.*?\*\//gs, '').replace(/^\s*\/\/.*$/gm, '')
  const named = [...code.matchAll(/\b(?:from|join|into|update|using)\s+([a-z_]+)\b/g)]
  const called = [...code.matchAll(/\bdb\(\w+\)\.(\w+)\./g)]
  return [...named.map(([, table = '']) => table), ...called.map(([, name = '']) => tables.get(name) ?? '')]
}

test('an area names no table of another one in its statements, but for these', () => {
  const found = new Set<string>()
  for (const file of globSync('src/areas/*/**/*.ts')) {
    const [, , area] = file.split('/')
    for (const table of tablesIn(readFileSync(file, 'utf8'))) {
      const owner = owners.get(table)
      if (owner !== undefined && owner !== area) found.add(`${area}: ${table}`)
    }
  }
  const missing = [...found].filter((one) => !FOREIGN.includes(one))
  expect(missing, 'foreign_tables of test/areas/<area>/suites.ts lacks these tables').toEqual([])
  expect([...found].sort()).toEqual(FOREIGN.sort())
})
