/** The stored demo MSP and its API keys. Imports none of the code that seeds it. */
import { hashSecret, lastFourOf, pepperId, prefixOf } from '../access/credentials/api-key-secret.ts'
import { DEMO_KEY_ID, DEMO_TENANT_ID } from '../access/demo.ts'
import { type Sql, statement } from '../db/sql.ts'
import type { EncryptionKeys } from '../lib/secret-box.ts'
import { followSecrets } from './webhook-secrets.ts'

export interface DemoOptions {
  now: Date
  environment: string
  demo_api_key: string
  key_pepper: string
  encryption_keys: EncryptionKeys
}

export interface DemoKeys {
  /** The demo key's secret; null if the key has been rotated or revoked, or has expired. */
  api_key: string | null
  /** The id of a key for trying out rotation. */
  rotatable_key_id: string
}

const IS_THERE = statement(
  'demo.is_there',
  'select exists (select from settings where tenant_id = $1 and environment = $2) as there',
)

/** True if this environment has the demo MSP. */
export async function hasDemo(sql: Sql, environment: string): Promise<boolean> {
  const [row] = await sql.rows<{ there: boolean }>(IS_THERE, [DEMO_TENANT_ID, environment])
  return row?.there ?? false
}

/** The stored columns of a secret. */
export const stored = (pepper: string, secret: string) => ({
  key_hash: new Uint8Array(hashSecret(pepper, secret)),
  pepper_id: pepperId(pepper),
  prefix: prefixOf(secret),
  last_four: lastFourOf(secret),
})

const ACTIVE =
  'tenant_id = $1 and environment = $2 and revoked_at is null and sunset_at is null and expires_at > $3'

const FOLLOW = statement(
  'demo.key_follows',
  `update api_key set key_hash = decode($5, 'hex'), prefix = $6, last_four = $7, pepper_id = $8
   where ${ACTIVE} and id = $4 and key_hash <> decode($5, 'hex')`,
)

const KEYS = statement(
  'demo.keys',
  `select id from api_key where ${ACTIVE} order by id = $4 desc, created_at desc, id desc limit 2`,
)

/** The usable demo keys. The demo's secrets are stored again if those of the process have changed. */
export async function demoKeys(sql: Sql, options: DemoOptions): Promise<DemoKeys> {
  const { now, environment, demo_api_key, key_pepper } = options
  const demo = [DEMO_TENANT_ID, environment, now, DEMO_KEY_ID]
  const { key_hash, prefix, last_four, pepper_id } = stored(key_pepper, demo_api_key)
  const hash = Buffer.from(key_hash).toString('hex')
  await sql.rows(FOLLOW, [...demo, hash, prefix, last_four, pepper_id])
  await followSecrets(sql, options)
  const ids = (await sql.rows<{ id: string }>(KEYS, demo)).map(({ id }) => id)
  return {
    api_key: ids.includes(DEMO_KEY_ID) ? demo_api_key : null,
    rotatable_key_id: ids.find((id) => id !== DEMO_KEY_ID) ?? DEMO_KEY_ID,
  }
}
