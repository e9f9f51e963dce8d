/** Pages of lists on PostgreSQL, with what their statements cost. */
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
} from 'graphql'
import pg from 'pg'
import type { Database } from '../../src/db/database.ts'
import { SESSION_SETTINGS } from '../../src/db/session-settings.ts'
import { type Arguments, published } from '../setup/api.ts'
import { startApp } from '../setup/app.ts'
import { cloneUrl, openTestDatabase } from '../setup/database.ts'
import { type Cost, costOf, PLAN_MODES } from '../setup/plans.ts'
import { statementsOf } from '../setup/statements.ts'
import type { Caller } from '../setup/world.ts'

/** Reads one page of a list; null: the first one. */
export type ReadPage = (page: { page_size: number; cursor: string | null }) => Promise<{
  next_cursor: string | null
}>

export interface Measuring {
  url: string
  database: Database
  client: pg.Client
  ask(caller: Caller, query: string, variables?: Arguments): Promise<Record<string, never>>
  close(): Promise<void>
}

/** A service on a database of its own, in which nothing else happens. */
export async function startMeasuring(): Promise<Measuring> {
  const url = (await cloneUrl()) as string
  const database = await openTestDatabase(url)
  const { app, base } = await startApp(database)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(SESSION_SETTINGS)
  return {
    url,
    database,
    client,
    async ask({ token }, query, variables = {}) {
      const response = await fetch(`${base}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      })
      const { data, errors } = await response.json()
      if (errors) throw new Error(`${query}: ${JSON.stringify(errors)}`)
      return data
    },
    async close() {
      await client.end()
      await app.close(1000)
      await database.close()
    },
  }
}

const { documents, schema } = await published()

const [{ selectionSet: CURSOR_ALONE }] = parse('{ pagination { next_cursor } }').definitions as [
  OperationDefinitionNode,
]

/** The document of a list without its rows: nothing but the walk. */
function withoutRows(document: DocumentNode): DocumentNode {
  const [operation] = document.definitions as [OperationDefinitionNode]
  const [root] = operation.selectionSet.selections as [FieldNode]
  const selections = [{ ...root, selectionSet: CURSOR_ALONE }]
  return {
    ...document,
    definitions: [{ ...operation, selectionSet: { kind: Kind.SELECTION_SET, selections } }],
  }
}

/** The pages of an operation, with all fields that REST has, or with none. */
export function pagesOf({ ask }: Measuring, name: string, caller: Caller, args: Arguments) {
  const document = documents.get(name) as DocumentNode
  const reading =
    (query: string): ReadPage =>
    async (page) => {
      const { [name]: answer } = await ask(caller, query, { ...args, ...page })
      return (answer as unknown as { pagination: { next_cursor: string | null } }).pagination
    }
  return { whole: reading(print(document)), walked: reading(print(withoutRows(document))) }
}

const typeOf = (type: GraphQLObjectType, field: string) =>
  getNamedType(type.getFields()[field]?.type) as GraphQLObjectType

/** The pages of a nested list, such as `Agent.executions`, in the row that `parent` reads. */
export function nestedPagesOf({ ask }: Measuring, name: string, caller: Caller, parent: string) {
  const [type = '', field = ''] = name.split('.')
  const items = typeOf(typeOf(schema.getType(type) as GraphQLObjectType, field), 'items')
  const fields = Object.values(items.getFields()).filter(
    (one) => isLeafType(getNamedType(one.type)) && one.args.length === 0,
  )
  const reading =
    (rows: string): ReadPage =>
    async ({ page_size, cursor }) => {
      const args = `page_size: ${page_size}, cursor: ${JSON.stringify(cursor)}`
      const query = `{ parent: ${parent} { list: ${field}(${args}) { ${rows} pagination { next_cursor } } } }`
      const { parent: found } = await ask(caller, query)
      return (found as unknown as { list: { pagination: { next_cursor: string | null } } }).list.pagination
    }
  return { whole: reading(`items { ${fields.map((one) => one.name).join(' ')} }`), walked: reading('') }
}

const STEP = 200
const STEPS = 6

/** A cursor far into the list, or at least in the midst of it; null if it has hardly more than one large page. */
export async function deepCursor(read: ReadPage): Promise<string | null> {
  const cursors: string[] = []
  let cursor: string | null = null
  do {
    const { next_cursor } = await read({ page_size: STEP, cursor })
    cursor = next_cursor
    if (cursor) cursors.push(cursor)
  } while (cursor && cursors.length < STEPS)
  return (cursor ? cursors.at(-1) : cursors[Math.floor((cursors.length - 1) / 2)]) ?? null
}

export interface PageCost extends Cost {
  /** The rows that the list's statement read of its table. */
  own_rows: number
}

/** The rows of a page, as the shared SQL of lists selects them from the list's own table. */
const PAGE = /select (\w+)\.\*[^(]* from (\w+) \1\b/

/** The costs of what the work sends, by the plan for all values and by that for its own; and the list's own table. */
export async function measure(
  { database, client }: Measuring,
  work: () => Promise<unknown>,
): Promise<{ costs: PageCost[]; table: string | undefined }> {
  const sent = await statementsOf(database, work)
  const text = sent.map((one) => one.text).findLast((one) => PAGE.test(one))
  const table = text && PAGE.exec(text)?.[2]
  const costs: PageCost[] = []
  for (const mode of PLAN_MODES) {
    const total: PageCost = { rows: 0, pages: 0, own_rows: 0 }
    for (const one of sent) {
      const { rows, pages, reads } = await costOf(client, one, one.name ? mode : 'force_custom_plan')
      total.rows += rows
      total.pages += pages
      if (one.text !== text) continue
      for (const read of reads) if (read.table === table) total.own_rows += read.rows
    }
    costs.push(total)
  }
  return { costs, table }
}
