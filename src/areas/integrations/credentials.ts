/** The credentials of connections as they are stored: encrypted, each for its place. */
import type { Tenancy } from '../../db/db.ts'
import type { SecretBox } from '../../lib/secret-box.ts'

/** A connection of a tenant. */
export interface Place extends Tenancy {
  name: string
}

type Column = 'secrets' | 'ingest_secret'

/** The column of the row: what is copied to another row, or to another column, cannot be decrypted. */
export const placeOf = ({ tenant_id, environment, name }: Place, column: Column): string[] => [
  tenant_id,
  environment,
  name,
  column,
]

/** Secrets in clear, by the names of their fields. */
export type Secrets = Readonly<Record<string, string>>

export const encryptSecrets = (box: SecretBox, place: Place, secrets: Secrets): string =>
  box.encrypt(JSON.stringify(secrets), placeOf(place, 'secrets'))

export const decryptSecrets = (box: SecretBox, place: Place, encrypted: string): Secrets =>
  JSON.parse(box.decrypt(encrypted, placeOf(place, 'secrets'))) as Secrets
