/** The private parts of `pg` that the service uses. */
import pg from 'pg'
import type { ColumnDescription, RowReader } from './row-reader.ts'

/** A connection of a client: the messages that name a statement, and its record of prepared ones. */
export interface Connection {
  parse(query: { name?: string; text: string; types?: unknown }): void
  bind(config: { statement?: string }): void
  close(message: { type: 'S'; name: string }): void
  describe(message: unknown): void
  parsedStatements: Record<string, string>
  /** Ours: the readers of the rows of prepared statements, by name, once their columns are known. */
  readers?: Map<string, RowReader>
  /** Ours: the same connection, which does not ask for the columns of rows. */
  undescribed?: Connection
}

export const connectionOf = (client: pg.Client): Connection =>
  (client as unknown as { connection: Connection }).connection

/** A query: what its client calls with the messages of the server. */
interface Query extends pg.Submittable {
  name: string | undefined
  prepare(connection: Connection): void
  handleRowDescription(message: { fields: readonly ColumnDescription[] }): void
  handleDataRow(message: { fields: readonly (string | null)[]; length: number }): void
  handleCommandComplete(): void
}

export const BaseQuery = pg.Query as unknown as new (
  text: string,
  values: readonly unknown[],
  done: (error?: Error | null) => void,
) => Query
