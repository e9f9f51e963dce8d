/** The prepared statements of the embedded database, Prisma's included. */
import { messages, type PGlite, parse, protocol, type QueryOptions, type Results } from '@electric-sql/pglite'
import type { Sql, Statement } from './sql.ts'

type Options = Pick<QueryOptions, 'rowMode' | 'parsers'> & Pick<Statement, 'custom_plan'>
export type Query = <Row>(
  text: string,
  values?: readonly unknown[],
  options?: Options,
) => Promise<Results<Row>>

/** The least recently used statement is closed when there are more: callers can compose any number of them. */
const MOST = 300
/** Nothing analyzes the tables, so that a plan that was made for few rows would be kept for many. */
const MOST_USES = 500

interface Prepared {
  name: string
  /** The types of its parameters. */
  types: readonly number[]
  uses: number
}

const { serialize } = protocol

/**
 * Runs a statement in one call of WebAssembly, which has been prepared when it was run before. PGlite's own `query`
 * takes six calls, and plans each statement anew.
 */
export function createQuery(pglite: PGlite): Query {
  const prepared = new Map<string, Prepared>()
  let count = 0
  /** Messages that close statements, which are sent with the next one. */
  let closing: Uint8Array[] = []

  const send = (sent: readonly Uint8Array[]) =>
    pglite.execProtocolStream(Buffer.concat([...sent, serialize.sync()]), {
      syncToFs: !pglite.isInTransaction(),
    })

  function forget(text: string): void {
    const { name = '' } = prepared.get(text) ?? {}
    if (prepared.delete(text)) closing.push(serialize.close({ type: 'S', name }))
  }

  async function prepare(text: string): Promise<Prepared> {
    if (prepared.size >= MOST) forget(prepared.keys().next().value as string)
    const name = `statement ${++count}`
    const closed = closing
    closing = []
    const answer = await send([
      ...closed,
      serialize.parse({ name, text }),
      serialize.describe({ type: 'S', name }),
    ])
    const described = answer.find((message) => message instanceof messages.ParameterDescriptionMessage)
    return { name, types: described?.dataTypeIDs ?? [], uses: 0 }
  }

  /** The statement, which is the most recently used one now. */
  async function use(text: string): Promise<Prepared> {
    if ((prepared.get(text)?.uses ?? 0) >= MOST_USES) forget(text)
    const statement = prepared.get(text) ?? (await prepare(text))
    statement.uses++
    prepared.delete(text)
    prepared.set(text, statement)
    return statement
  }

  function bound(value: unknown, type: number): string | null {
    if (value === null || value === undefined) return null
    const serializer = pglite.serializers[type]
    return serializer ? serializer(value) : String(value)
  }

  return (text, values = [], { custom_plan, ...options } = {}) =>
    pglite.runExclusive(async () => {
      if (pglite.closed) throw new Error('The database is closed')
      const { name, types } = await use(text)
      const bind = {
        statement: custom_plan ? '' : name,
        values: values.map((value, index) => bound(value, types[index] as number)),
      }
      try {
        const answer = await send([
          ...(custom_plan ? [serialize.parse({ text })] : []),
          serialize.bind(bind),
          serialize.describe({ type: 'P' }),
          serialize.execute(),
        ])
        return parse.parseResults(answer, pglite.parsers, options)[0] as Results<never>
      } catch (error) {
        // The columns of its answer are others since it was prepared.
        if (error instanceof messages.DatabaseError && error.code === '0A000') forget(text)
        throw error
      }
    })
}

export const rowsBy =
  (query: Query): Sql['rows'] =>
  async <Row>({ text, custom_plan }: Statement, values: readonly unknown[]) =>
    (await query<Row>(text, values, custom_plan && { custom_plan })).rows
