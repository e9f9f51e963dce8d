/** A statement of ours on a connection of `pg`: its rows are described once, and read by one reader. */
import pg from 'pg'
import type { ReadBudget } from '../read-budget.ts'
import type { Statement } from '../sql.ts'
import type { Connection } from './prepared-statements.ts'
import { type ColumnDescription, type RowReader, rowReader } from './row-reader.ts'

/** Of `pg`'s query: what its client calls with the messages of the server. */
interface Query extends pg.Submittable {
  name: string | undefined
  /** Set if a row could not be read: the query is answered with this error. */
  _canceledDueToError: unknown
  prepare(connection: Connection): void
}

const BaseQuery = pg.Query as unknown as new (
  text: string,
  values: readonly unknown[],
  done: (error?: Error | null) => void,
) => Query

class StatementQuery extends BaseQuery {
  readonly found: Record<string, unknown>[] = []
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

  handleRowDescription({ fields }: { fields: readonly ColumnDescription[] }): void {
    this.#read = rowReader(fields)
    if (this.name !== undefined) this.#connection?.readers?.set(this.name, this.#read)
  }

  handleDataRow({ fields, length }: { fields: readonly (string | null)[]; length: number }): void {
    if (this._canceledDueToError || !this.#read) return
    try {
      this.#budget?.spend(length)
      this.found.push(this.#read(fields))
    } catch (error) {
      this._canceledDueToError = error
      this.found.length = 0
    }
  }

  handleCommandComplete(): void {}
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
      if (error) reject(error)
      else resolve(query.found as Row[])
    })
    client.query(query)
  })
