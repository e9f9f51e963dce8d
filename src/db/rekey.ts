/** Encrypts what is stored encrypted anew, after the operator has put another key first. */
import { CannotDecrypt, type SecretBox } from '../lib/secret-box.ts'
import { type Sql, type Statement, statement } from './sql.ts'
import type { Tenancy } from './tenancy/context.ts'

/** The row that encrypted texts belong to. */
interface Owner extends Tenancy {
  name: string
}

/** A table with encrypted texts. */
interface Encrypted {
  /** The column that identifies a row in its tenant and environment. */
  id: string
  /** The column that places have, and that the operator knows the row by. */
  name: string
  /** The places of the encrypted columns, each of which may be null. */
  places: Readonly<Record<string, (owner: Owner) => readonly string[]>>
}

interface EncryptedTable extends Encrypted {
  outdated: Statement
  replace: Statement
  left: Statement
}

/** Tables with encrypted texts, and the operator’s words for their rows. */
export interface EncryptedRows {
  one: string
  many: string
  tables: readonly EncryptedTable[]
}

const BATCH = 100

/** Declares the encrypted columns of a table. */
export function encryptedIn(table: string, { id, name, places }: Encrypted): EncryptedTable {
  const columns = Object.keys(places)
  const isOutdated = columns.map((column) => `not starts_with(${column}, $1::text)`).join(' or ')
  const parameter = (index: number): string => `$${index + 4}::text`
  const given = columns.map((column, index) => `${column} = ${parameter(index)}`)
  const unchanged = columns.map(
    (column, index) => `${column} is not distinct from ${parameter(columns.length + index)}`,
  )
  return {
    id,
    name,
    places,
    outdated: statement(
      `rekey.outdated_in_${table}`,
      `select tenant_id, environment, ${name} as name, ${id} as id, ${columns.join(', ')} from ${table}
       where (${isOutdated}) and (tenant_id, environment, ${id}) > ($2::text, $3::text, $4::text)
       order by tenant_id, environment, ${id} limit ${BATCH}`,
    ),
    replace: statement(
      `rekey.replace_in_${table}`,
      `update ${table} set ${given.join(', ')}
       where tenant_id = $1 and environment = $2 and ${id} = $3 and ${unchanged.join(' and ')}
       returning 1 as replaced`,
    ),
    left: statement(
      `rekey.outdated_rows_of_${table}`,
      `select count(*)::int as count from ${table} where ${isOutdated}`,
    ),
  }
}

export interface Rekeyed {
  replaced: number
  /** The rows with a text that no key decrypts, with the reason. */
  failed: { place: Owner; reason: string }[]
  /** The rows that are still under another key at the end: the failed ones, and those that were written meanwhile. */
  left: number
}

interface Pass extends Omit<Rekeyed, 'left'> {
  /** Rows that were changed between their read and their write. */
  lost: number
}

type OutdatedRow = Owner & { id: string } & Record<string, string | null>

async function rekeyTable(
  database: Sql,
  box: SecretBox,
  { places, outdated, replace }: EncryptedTable,
  pass: Pass,
): Promise<void> {
  let after = ['', '', '']
  for (;;) {
    const rows = await database.rows<OutdatedRow>(outdated, [box.prefix, ...after])
    for (const row of rows) {
      const { tenant_id, environment, name, id } = row
      const place = { tenant_id, environment, name }
      after = [tenant_id, environment, id]
      const stored = Object.keys(places).map((column) => row[column] ?? null)
      try {
        const again = Object.values(places).map((placeOf, index) => {
          const text = stored[index] ?? null
          return text === null ? null : box.reencrypt(text, placeOf(place))
        })
        const replaced = await database.rows(replace, [...after, ...again, ...stored])
        pass.replaced += replaced.length
        pass.lost += 1 - replaced.length
      } catch (error) {
        if (!(error instanceof CannotDecrypt)) throw error
        pass.failed.push({ place, reason: error.message })
      }
    }
    if (rows.length < BATCH) return
  }
}

/** The passes over the tables: each tries the rows again that were changed during the one before. */
const MAX_PASSES = 10

/**
 * The command can be stopped, and goes on where it was: what the first key has encrypted is left as it is. A change of a row
 * may leave a text under the earlier key, so that rows which were changed meanwhile are tried again.
 */
export async function rekey(
  database: Sql,
  box: SecretBox,
  { tables }: Pick<EncryptedRows, 'tables'>,
): Promise<Rekeyed> {
  let replaced = 0
  let pass: Pass
  let passes = 0
  do {
    pass = { replaced: 0, failed: [], lost: 0 }
    for (const table of tables) await rekeyTable(database, box, table, pass)
    replaced += pass.replaced
  } while (pass.lost > 0 && ++passes < MAX_PASSES)
  let left = 0
  for (const table of tables) {
    const [row] = await database.rows<{ count: number }>(table.left, [box.prefix])
    left += row?.count ?? 0
  }
  return { replaced, failed: pass.failed, left }
}
