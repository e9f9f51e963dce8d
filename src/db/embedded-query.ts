/** Statements of the embedded database. */
import { messages, type PGlite, parse, protocol, type QueryOptions, type Results } from '@electric-sql/pglite'

type Options = Pick<QueryOptions, 'rowMode' | 'parsers'>
export type Query = <Row>(
  text: string,
  values?: readonly unknown[],
  options?: Options,
) => Promise<Results<Row>>

/** The maximum number of texts whose parameters' types are known: callers can compose any number of them. */
const MAX_KNOWN = 2000

const { serialize } = protocol

/**
 * Runs a statement in one call of WebAssembly. PGlite's own `query` takes six, because it asks for the types of the
 * parameters each time; this one asks once for each text.
 */
export function createQuery(pglite: PGlite): Query {
  const known = new Map<string, readonly number[]>()

  const send = (sent: readonly Uint8Array[]) =>
    pglite.execProtocolStream(Buffer.concat([...sent, serialize.sync()]), {
      syncToFs: !pglite.isInTransaction(),
    })

  async function typesOf(text: string): Promise<readonly number[]> {
    const answer = await send([serialize.parse({ text }), serialize.describe({ type: 'S' })])
    const described = answer.find((message) => message instanceof messages.ParameterDescriptionMessage)
    const types = described?.dataTypeIDs ?? []
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(text, types)
    return types
  }

  function bound(value: unknown, type: number): string | null {
    if (value === null || value === undefined) return null
    const serializer = pglite.serializers[type]
    return serializer ? serializer(value) : String(value)
  }

  return (text, values = [], options) =>
    pglite.runExclusive(async () => {
      if (pglite.closed) throw new Error('The database is closed')
      const types = values.length === 0 ? [] : (known.get(text) ?? (await typesOf(text)))
      const answer = await send([
        serialize.parse({ text }),
        serialize.bind({ values: values.map((value, index) => bound(value, types[index] as number)) }),
        serialize.describe({ type: 'P' }),
        serialize.execute(),
      ])
      return parse.parseResults(answer, pglite.parsers, options)[0] as Results<never>
    })
}
