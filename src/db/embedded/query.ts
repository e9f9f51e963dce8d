/** The prepared statements of the embedded database, Prisma's included. */
import { messages, type PGlite, parse, protocol, type QueryOptions, type Results } from '@electric-sql/pglite'
import type { ReadBudget } from '../read-budget.ts'
import type { Sql, Statement } from '../sql.ts'

type Options = Pick<QueryOptions, 'rowMode' | 'parsers'> &
  Pick<Statement, 'custom_plan'> & { budget?: ReadBudget | null | undefined }
export type Query = <Row>(
  text: string,
  values?: readonly unknown[],
  options?: Options,
) => Promise<Results<Row>>

/** The least recently used statement is forgotten when there are more: callers can compose any number of them. */
const MAX_KNOWN = 300

interface Known {
  /** The types of its parameters. */
  types: readonly number[]
  uses: number
  /** Empty until it is prepared, at its second use. */
  name: string
}

const { serialize } = protocol

/**
 * Runs a statement in one call of WebAssembly, and prepares it if it was run before. PGlite's own `query` takes six
 * calls, and plans each statement anew.
 */
export function createQuery(pglite: PGlite): Query {
  const known = new Map<string, Known>()
  let count = 0
  /** Messages that close prepared statements, which are sent with the next one. */
  let closing: Uint8Array[] = []

  const send = (sent: readonly Uint8Array[]) =>
    pglite.execProtocolStream(Buffer.concat([...sent, serialize.sync()]), {
      syncToFs: !pglite.isInTransaction(),
    })

  const close = (name: string) => closing.push(serialize.close({ type: 'S', name }))

  function forget(text: string): void {
    const name = known.get(text)?.name
    if (name) close(name)
    known.delete(text)
  }

  async function learn(text: string): Promise<Known> {
    if (known.size >= MAX_KNOWN) forget(known.keys().next().value as string)
    const answer = await send([serialize.parse({ text }), serialize.describe({ type: 'S' })])
    const described = answer.find((message) => message instanceof messages.ParameterDescriptionMessage)
    return { name: '', types: described?.dataTypeIDs ?? [], uses: 0 }
  }

  /** The statement, which is the most recently used one now. */
  async function use(text: string): Promise<Known> {
    const statement = known.get(text) ?? (await learn(text))
    statement.uses++
    known.delete(text)
    known.set(text, statement)
    return statement
  }

  function textOf(value: unknown, type: number): string | null {
    if (value === null || value === undefined) return null
    const serializer = pglite.serializers[type]
    return serializer ? serializer(value) : String(value)
  }

  return (text, values = [], { custom_plan, budget, ...options } = {}) =>
    pglite.runExclusive(async () => {
      if (pglite.closed) throw new Error('The database is closed')
      const statement = await use(text)
      const bound = values.map((value, index) => textOf(value, statement.types[index] as number))
      const mustParse = statement.uses > 1 && !statement.name
      const name = mustParse && !custom_plan ? `statement ${++count}` : statement.name
      const closed = closing
      closing = []
      try {
        const answer = await send([
          ...closed,
          ...(mustParse ? [serialize.parse({ name, text })] : []),
          serialize.bind({ statement: name, values: bound }),
          serialize.describe({ type: 'P' }),
          serialize.execute(),
        ])
        statement.name = name
        if (budget)
          for (const part of answer) if (part instanceof messages.DataRowMessage) budget.spend(part.length)
        return parse.parseResults(answer, pglite.parsers, options)[0] as Results<never>
      } catch (error) {
        if (name && mustParse) close(name)
        // The columns of its answer are others since it was prepared.
        if (error instanceof messages.DatabaseError && error.code === '0A000') forget(text)
        throw error
      }
    })
}

/** Named statements by the query. Their names are not used: a text is prepared under one of its own. */
export const rowsBy =
  (query: Query): Sql['rows'] =>
  async <Row>({ text, custom_plan }: Statement, values: readonly unknown[], budget?: ReadBudget | null) =>
    (await query<Row>(text, values, { ...(custom_plan && { custom_plan }), budget })).rows
