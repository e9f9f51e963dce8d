/**
 * The prepared statements of a connection, Prisma's included. There is a ceiling on their number: the least recently used
 * one is closed.
 */
import type pg from 'pg'
import type { RowReader } from './row-reader.ts'

/** Internals of `pg`'s connection: the messages that name a statement, and its record of prepared ones. */
export interface Connection {
  parse(query: { name?: string; text: string; types?: unknown }): void
  bind(config: { statement?: string }): void
  close(message: { type: 'S'; name: string }): void
  describe(message: unknown): void
  parsedStatements: Record<string, string>
  /** The readers of the rows of prepared statements, by name, once their columns are known. */
  readers?: Map<string, RowReader>
  /** The same connection, which does not ask for the columns of rows. */
  undescribed?: Connection
}

/**
 * Keeps the connection's prepared statements at most `most`. The message that closes one goes ahead of the one that
 * prepares another, in the same round trip. In contrast to DEALLOCATE it fails for no name, and in no transaction.
 */
export function limitPreparedStatements(client: pg.Client, most: number): void {
  const { connection } = client as unknown as { connection: Connection }
  const { parse, bind } = connection
  const names = new Set<string>()
  // A statement that is prepared anew may have other columns: the tables may have changed in between.
  const readers = new Map<string, RowReader>()
  connection.readers = readers
  connection.undescribed = Object.create(connection, { describe: { value() {} } }) as Connection
  const use = (name: string): void => {
    names.delete(name)
    names.add(name)
  }
  connection.parse = (query) => {
    if (query.name) {
      if (!names.has(query.name) && names.size >= most) {
        const [oldest = ''] = names
        names.delete(oldest)
        delete connection.parsedStatements[oldest]
        readers.delete(oldest)
        connection.close({ type: 'S', name: oldest })
      }
      readers.delete(query.name)
      use(query.name)
    }
    parse.call(connection, query)
  }
  connection.bind = (config) => {
    if (config.statement) use(config.statement)
    bind.call(connection, config)
  }
}
