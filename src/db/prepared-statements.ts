/** A ceiling on the prepared statements of a connection, Prisma's included: the least recently used one is closed. */
import type pg from 'pg'

/** Internals of `pg`'s connection: the messages that name a statement, and its record of prepared ones. */
interface Connection {
  parse(query: { name?: string; text: string; types?: unknown }): void
  bind(config: { statement?: string }): void
  close(message: { type: 'S'; name: string }): void
  parsedStatements: Record<string, string>
}

/**
 * Keeps the connection's prepared statements at most `most`. The message that closes one goes ahead of the one that
 * prepares another, in the same round trip. In contrast to DEALLOCATE it fails for no name, and in no transaction.
 */
export function limitPreparedStatements(client: pg.Client, most: number): void {
  const { connection } = client as unknown as { connection: Connection }
  const { parse, bind } = connection
  const names = new Set<string>()
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
        connection.close({ type: 'S', name: oldest })
      }
      use(query.name)
    }
    parse.call(connection, query)
  }
  connection.bind = (config) => {
    if (config.statement) use(config.statement)
    bind.call(connection, config)
  }
}
