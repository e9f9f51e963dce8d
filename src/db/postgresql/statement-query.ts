/** A statement of ours on a connection of `pg`: its rows are described once, and read by one reader. */
import type pg from 'pg'
import type { ReadBudget } from '../read-budget.ts'
import type { Statement } from '../sql.ts'
import { BaseQuery, type Connection } from './pg-internals.ts'
import { type ColumnDescription, type RowReader, rowReader } from './row-reader.ts'

class StatementQuery extends BaseQuery {
  readonly found: Record<string, unknown>[] = []
  /** Why a row could not be read: the answer is this error. */
  unreadable: unknown
  #connection: Connection | undefined
  readonly #budget: ReadBudget | null
  #read: RowReader | undefined

  constructor(
    { name, text, custom_plan }: Statement,
    values: readonly unknown[],
    budget: ReadBudget | null,
    done: (error?: Error | null) => void,
  ) {
    super(text, values, done)
    this.#budget = budget
    this.name = custom_plan ? undefined : name
  }

  /** The connection is asked for the columns only if it does not know them. */
  override prepare(connection: Connection): void {
    this.#connection = connection
    this.#read = this.name === undefined ? undefined : connection.readers?.get(this.name)
    super.prepare(this.#read ? (connection.undescribed as Connection) : connection)
  }

  override handleRowDescription({ fields }: { fields: readonly ColumnDescription[] }): void {
    this.#read = rowReader(fields)
    if (this.name !== undefined) this.#connection?.readers?.set(this.name, this.#read)
  }

  override handleDataRow({ fields, length }: { fields: readonly (string | null)[]; length: number }): void {
    if (this.unreadable || !this.#read) return
    try {
      this.#budget?.spend(length)
      this.found.push(this.#read(fields))
    } catch (error) {
      this.unreadable = error
      this.found.length = 0
    }
  }

  override handleCommandComplete(): void {}
}

/** The rows of the statement. */
export const rowsOn = <Row>(
  client: pg.ClientBase,
  statement: Statement,
  values: readonly unknown[],
  budget: ReadBudget | null = null,
): Promise<Row[]> =>
  new Promise((resolve, reject) => {
    const query = new StatementQuery(statement, values, budget, (error) => {
      const refused = query.unreadable ?? error
      if (refused) reject(refused)
      else resolve(query.found as Row[])
    })
    client.query(query)
  })
