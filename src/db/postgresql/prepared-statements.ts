/**
 * The prepared statements of a connection, Prisma's included. There is a ceiling on their number: the least recently used
 * one is closed.
 */
import type pg from 'pg'
import { type Connection, connectionOf } from './pg-internals.ts'
import type { RowReader } from './row-reader.ts'

/**
 * Keeps the connection's prepared statements at most `most`. The message that closes one goes ahead of the one that
 * prepares another, in the same round trip. In contrast to DEALLOCATE it fails for no name, and in no transaction.
 */
export function limitPreparedStatements(client: pg.Client, most: number): void {
  const connection = connectionOf(client)
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
