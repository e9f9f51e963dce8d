/** Encrypts the credentials of connections anew, after the operator has put another key first. */
import { type Sql, statement } from '../../db/sql.ts'
import { CannotDecrypt, type SecretBox } from '../../lib/secret-box.ts'
import { type Place, placeOf } from './credentials.ts'

interface Encrypted extends Place {
  /** The key of the row in its tenant and environment. */
  id: string
  secrets: string
  ingest_secret: string
}

const BATCH = 100

const statementsOf = (table: string, id: string) => ({
  outdated: statement(
    `integrations.outdated_in_${table}`,
    `select tenant_id, environment, name, ${id} as id, secrets, ingest_secret from ${table}
     where not (starts_with(secrets, $1::text) and starts_with(ingest_secret, $1::text))
       and (tenant_id, environment, ${id}) > ($2::text, $3::text, $4::text)
     order by tenant_id, environment, ${id} limit ${BATCH}`,
  ),
  replace: statement(
    `integrations.replace_in_${table}`,
    `update ${table} set secrets = $4::text, ingest_secret = $5::text
     where tenant_id = $1 and environment = $2 and ${id} = $3 and secrets = $6::text and ingest_secret = $7::text
     returning 1 as replaced`,
  ),
  left: statement(
    `integrations.outdated_rows_of_${table}`,
    `select count(*)::int as count from ${table}
     where not (starts_with(secrets, $1::text) and starts_with(ingest_secret, $1::text))`,
  ),
})

/** Connections, and those that were given up whose webhooks are still to be removed. */
const TABLES = [statementsOf('system_connection', 'name'), statementsOf('webhook_removal', 'id')]

export interface Rekeyed {
  replaced: number
  /** Connections whose credentials no key decrypts, with the reason. */
  failed: { place: Place; reason: string }[]
  /** The rows that are still under another key at the end: the failed ones, and those that were written meanwhile. */
  left: number
}

interface Pass extends Omit<Rekeyed, 'left'> {
  /** Rows that were changed between their read and their write. */
  lost: number
}

async function rekeyTable(
  database: Sql,
  box: SecretBox,
  { outdated, replace }: ReturnType<typeof statementsOf>,
  pass: Pass,
): Promise<void> {
  let after = ['', '', '']
  for (;;) {
    const rows = await database.rows<Encrypted>(outdated, [box.prefix, ...after])
    for (const { secrets, ingest_secret, id, ...place } of rows) {
      after = [place.tenant_id, place.environment, id]
      try {
        const again = [
          box.reencrypt(secrets, placeOf(place, 'secrets')),
          box.reencrypt(ingest_secret, placeOf(place, 'ingest_secret')),
        ]
        const replaced = await database.rows(replace, [...after, ...again, secrets, ingest_secret])
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
 * It can be stopped, and goes on where it was: what the first key has encrypted is left as it is. A change of a row may leave
 * a secret under the earlier key, so that rows which were changed meanwhile are tried again.
 */
export async function rekeyConnections(database: Sql, box: SecretBox): Promise<Rekeyed> {
  let replaced = 0
  let pass: Pass
  let passes = 0
  do {
    pass = { replaced: 0, failed: [], lost: 0 }
    for (const table of TABLES) await rekeyTable(database, box, table, pass)
    replaced += pass.replaced
  } while (pass.lost > 0 && ++passes < MAX_PASSES)
  let left = 0
  for (const table of TABLES) {
    const [row] = await database.rows<{ count: number }>(table.left, [box.prefix])
    left += row?.count ?? 0
  }
  return { replaced, failed: pass.failed, left }
}
