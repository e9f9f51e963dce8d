/** Encrypts the credentials of connections anew, after the operator has put another key first. */
import { type Sql, statement } from '../../db/sql.ts'
import { CannotDecrypt, type SecretBox } from '../../lib/secret-box.ts'
import { type Place, placeOf } from './credentials.ts'

interface Encrypted extends Place {
  secrets: string
  ingest_secret: string
}

const BATCH = 100

const OUTDATED = statement(
  'integrations.outdated_credentials',
  `select tenant_id, environment, name, secrets, ingest_secret from system_connection
   where not (starts_with(secrets, $1::text) and starts_with(ingest_secret, $1::text))
     and (tenant_id, environment, name) > ($2::text, $3::text, $4::text)
   order by tenant_id, environment, name limit ${BATCH}`,
)

// A connection that was changed meanwhile has what its change encrypted.
const REPLACE = statement(
  'integrations.replace_credentials',
  `update system_connection set secrets = $4::text, ingest_secret = $5::text
   where tenant_id = $1 and environment = $2 and name = $3 and secrets = $6::text and ingest_secret = $7::text
   returning 1 as replaced`,
)

export interface Rekeyed {
  replaced: number
  /** Connections whose credentials no key decrypts, with the reason. */
  failed: { place: Place; reason: string }[]
}

/** It can be stopped, and goes on where it was: what the first key has encrypted is left as it is. */
export async function rekeyConnections(database: Sql, box: SecretBox): Promise<Rekeyed> {
  const result: Rekeyed = { replaced: 0, failed: [] }
  let after: Place = { tenant_id: '', environment: '', name: '' }
  for (;;) {
    const rows = await database.rows<Encrypted>(OUTDATED, [box.prefix, ...Object.values(after)])
    for (const { secrets, ingest_secret, ...place } of rows) {
      after = place
      try {
        const again = [
          box.reencrypt(secrets, placeOf(place, 'secrets')),
          box.reencrypt(ingest_secret, placeOf(place, 'ingest_secret')),
        ]
        const key = [place.tenant_id, place.environment, place.name]
        const replaced = await database.rows(REPLACE, [...key, ...again, secrets, ingest_secret])
        result.replaced += replaced.length
      } catch (error) {
        if (!(error instanceof CannotDecrypt)) throw error
        result.failed.push({ place, reason: error.message })
      }
    }
    if (rows.length < BATCH) return result
  }
}
