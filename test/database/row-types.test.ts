/** Rows have the types that the Prisma models say, whichever statement reads them. */
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { type DatabaseContext, db, scoped, sql } from '../../src/db/db.ts'
import { getDatamodel } from '../../src/db/generated/pothos.ts'
import { type ModelName, tableOf as tableOfModel } from '../../src/db/query/models.ts'
import { projection } from '../../src/db/query/projection.ts'
import { knownStatements } from '../../src/db/sql.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { apis, published } from '../setup/api.ts'
import { embeddedIn, testDatabase } from '../setup/database.ts'
import { requiredArguments, sampleOf } from '../setup/samples.ts'
import { ownRows } from '../setup/suites/own-rows.ts'
import { type Msp, world } from '../setup/world.ts'

// Statements are known once their file is loaded: every one of the service, whichever files this process has loaded.
for (const file of globSync('src/{access,areas,connectors,db,gateway,jobs}/**/*.ts', {
  exclude: ['**/generated/**'],
}))
  await import(resolve(file))

const { models } = getDatamodel().datamodel

/** The tables of the models whose name they do not have, as the Prisma files say. */
const mapped = new Map<string, string>()
for (const file of globSync('prisma/*.prisma'))
  for (const [, model = '', body = ''] of readFileSync(file, 'utf8').matchAll(/^model (\w+) \{\n(.*?)^\}/gms))
    mapped.set(model, /@@map\("(\w+)"\)/.exec(body)?.[1] ?? model)

const tableOf = (model: string): string => {
  const table = mapped.get(model)
  if (!table) throw new Error(`No Prisma file has the model ${model}`)
  return table
}
const delegateOf = (model: string): string => model.charAt(0).toLowerCase() + model.slice(1)

const columnsOf = (model: string) => (models[model]?.fields ?? []).filter(({ kind }) => kind !== 'object')

/** The value in our code of each type of PostgreSQL that a statement may give, by its number. */
const VALUES: Record<number, string> = {
  16: 'boolean',
  17: 'bytes',
  20: 'number',
  23: 'number',
  25: 'string',
  114: 'json',
  701: 'number',
  1007: 'number[]',
  1009: 'string[]',
  1043: 'string',
  1082: 'date',
  1184: 'date',
  1185: 'date[]',
  1700: 'number',
  2278: 'nothing',
  3802: 'json',
}

/** The first number of a type that is none of PostgreSQL's own: enumerations. */
const OWN_TYPES = 16384

const valueKind = (oid: number): string | undefined => (oid >= OWN_TYPES ? 'string' : VALUES[oid])

const FIELDS: Record<string, string> = {
  BigInt: 'number',
  Boolean: 'boolean',
  Bytes: 'bytes',
  DateTime: 'date',
  Decimal: 'number',
  Float: 'number',
  Int: 'number',
  Json: 'json',
  String: 'string',
}

const fieldValue = ({ type, kind, isList }: { type: string; kind: string; isList: boolean }): string =>
  (kind === 'enum' ? 'string' : (FIELDS[type] ?? type)) + (isList ? '[]' : '')

/** Sums that have the name of a column, as the contract has them. */
const SUMS = ['company_link: mapped is number, not boolean']

/** The models whose tables the statement reads. */
const modelsIn = (text: string): string[] =>
  Object.keys(models).filter((model) => new RegExp(`\\b${tableOf(model)}\\b`).test(text))

/** Calls every list and every single read once without and once with all of its optional arguments. */
async function callEverything(msp: Msp): Promise<void> {
  const { operations } = await published()
  const queries = operations.filter(({ kind, field }) => kind === 'query' && field.args.length > 0)
  for (const operation of queries) {
    const required = requiredArguments(operation)
    const optional = operation.field.args.filter(({ name }) => !['cursor', 'page'].includes(name))
    const all = { ...Object.fromEntries(optional.map((arg) => [arg.name, sampleOf(arg)])), ...required }
    for (const api of apis)
      for (const caller of [msp.admin, msp.viewer])
        for (const args of [required, all]) await api.call(caller, operation.name, args)
  }
}

it('each model has the table that statements are made for', () => {
  const names = Object.keys(models)
  expect(names.map((model) => tableOfModel(model as ModelName))).toEqual(names.map(tableOf))
})

describe.skipIf(process.env.DATABASE_URL)('a statement', () => {
  beforeAll(async () => await callEverything(await world()))

  it('gives each column of a table as the model has it, and nothing that no conversion is for', async () => {
    const pglite = embeddedIn(await testDatabase())
    if (!pglite) throw new Error('The database is not embedded')
    // pg-boss has its tables if jobs run, and other files of this process their own statements.
    const ours = [...knownStatements()].filter(
      ([name, text]) => !text.includes('pgboss.') && !name.startsWith('test'),
    )
    const statements = ours.filter(([, text]) => /^\s*(?:select|with)\b/.test(text))
    expect(statements.length).toBeGreaterThan(30)
    const wrong: string[] = []
    for (const [name, text] of statements) {
      const { resultFields } = await pglite.describeQuery(text)
      for (const { name: column, dataTypeID } of resultFields) {
        const value = valueKind(dataTypeID)
        const said = modelsIn(text).flatMap((model) =>
          columnsOf(model).flatMap((field) => (field.name === column ? [fieldValue(field)] : [])),
        )
        if (value === undefined) wrong.push(`${name}: ${column} is of type ${dataTypeID}`)
        else if (said.length > 0 && !said.includes(value)) {
          const problem = `${column} is ${value}, not ${said}`
          const is_sum = SUMS.some((sum) => sum === `${modelsIn(text).map(tableOf)}: ${problem}`)
          if (!is_sum) wrong.push(`${name}: ${problem}`)
        }
      }
    }
    expect(wrong).toEqual([])
  })
})

const stopwatch = { start: () => {}, stop: () => {} }

const NOT_REACHED = new Set([
  'ChatTabCalls',
  'LiveFollower',
  'MetricsExporter',
  'RateBucket',
  'ReportedDeaths',
  'RequestPlace',
  'RetentionPermit',
  'Tenant',
])

let owner: Msp

beforeAll(async () => {
  owner = await world()
  await ownRows(owner)
})

test.each(Object.keys(models).filter((model) => !NOT_REACHED.has(model)))(
  'rows of %s are the same by SQL and by Prisma, in a mutation and outside',
  async (model) => {
    const ctx = {
      viewer: { tenant_id: owner.tenant_id, environment: owner.environment },
      services: { database: owner.database },
      transaction: null,
      db_time: stopwatch,
    } as unknown as DatabaseContext
    const all = scoped(
      `test.rows of ${model}`,
      `select ${projection(model as ModelName, 'r', { always: [] }).select(null)} from ${tableOf(model)} r
       where r.tenant_id = $1 and r.environment = $2`,
    )
    const read = async () => {
      const delegate = db(ctx)[delegateOf(model) as 'settings']
      const [bySql, byPrisma] = [await sql<object>(ctx, all), await delegate.findMany()]
      return { bySql, byPrisma }
    }
    const outside = await read()
    const inside = await inTransaction(ctx, 10_000, read)
    const rows = sorted(outside.bySql)
    for (const others of [outside.byPrisma, inside.bySql, inside.byPrisma])
      expect(sorted(others)).toEqual(rows)
    if (HAVE_ROWS.has(model)) expect(rows.length).toBeGreaterThan(0)
  },
)

/** Those with an int8, a numeric, a date, a list, bytes or JSON among their columns. */
const HAVE_ROWS = new Set([
  'Agent',
  'ApiKey',
  'ApiKeyUsage',
  'AuditEntry',
  'EndCompany',
  'Execution',
  'ExecutionDaily',
])

const sorted = (rows: readonly object[]) =>
  rows.map((row) => ({ ...row })).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
