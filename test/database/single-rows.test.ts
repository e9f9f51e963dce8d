/** A single row is read by Prisma. A hand-written statement for one has its reason here. */
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { knownStatements } from '../../src/db/sql.ts'

const FILES = globSync('src/areas/**/*.ts')
// Statements are known once their file is loaded.
for (const file of FILES) await import(resolve(file))

const MEASURED = 'bench/ measures what reads it'
const NO_ENVIRONMENT = 'a tenant has no environment, to which Prisma is narrowed'

/** The statements of areas that read one row by its key, and why Prisma does not. */
const REASONS: Record<string, string> = {
  'audit_log.closed_entry': 'the day is a text here, and Prisma takes a date',
  'executions.at_work': MEASURED,
  'executions.has_work': 'it is read between two statements of the engine, which are SQL',
  'executions.work': MEASURED,
  'integrations.connection': 'it is the statement that locks the row, without the lock',
  'integrations.connection_of_events': 'the tenant of an event is not known before it is read',
  'settings.zone': MEASURED,
  'tenant.is_suspended': MEASURED,
  'tenant.own': NO_ENVIRONMENT,
  'tenant.psa_type': NO_ENVIRONMENT,
  'til_requests.of_call': MEASURED,
}

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
  expect(found.sort()).toEqual(Object.keys(REASONS).sort())
})
