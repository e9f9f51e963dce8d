/** Statements of our own, on the connections that Prisma's adapter is given too. */

export interface Sql {
  /** The rows of one statement. PostgreSQL prepares it once per connection, under its name. */
  rows<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]>
}

export interface Statement {
  name: string
  text: string
  /** Spans the environments of its tenant: it takes no environment. */
  tenant_wide?: true
  /** How its rows are best found depends on its values: it is planned for them each time, and not prepared. */
  planned_anew?: true
}

/** A statement with its name, which is unique in the service. */
export const statement = (name: string, text: string): Statement => ({ name, text })
