/** The secrets of the demo's webhook endpoints, which no receiver has. Imports none of the code that seeds the demo. */
import { createHmac } from 'node:crypto'
import { DEMO_TENANT_ID } from '../access/demo.ts'
import { newSecret, placeOf } from '../areas/webhooks/secrets.ts'
import { type Sql, statement } from '../db/sql.ts'
import { CannotDecrypt, createSecretBox, type EncryptionKeys } from '../lib/secret-box.ts'

interface Options {
  environment: string
  key_pepper: string
  encryption_keys: EncryptionKeys
}

/** The ids of the demo's endpoints begin with it. */
export const ENDPOINT_PREFIX = 'whe_demo_'

const placeIn = ({ environment }: Options, id: string): string[] =>
  placeOf({ tenant_id: DEMO_TENANT_ID, environment, id })

/** The secret of the endpoint as it is stored, the same at every seeding. */
export function storedSecret(id: string, options: Options): string {
  const { environment, key_pepper, encryption_keys } = options
  const bytes = (use: string) =>
    createHmac('sha256', key_pepper).update(`${use} ${environment} ${id}`).digest()
  const box = createSecretBox(encryption_keys, (size) => bytes('iv').subarray(0, size))
  return box.encrypt(newSecret(bytes('secret')), placeIn(options, id))
}

const STORED = statement(
  'demo.endpoint_secrets',
  `select id, secret from webhook_endpoint where tenant_id = $1 and environment = $2 and starts_with(id, $3)
     and secret_rotated_at is null`,
)

const STORE = statement(
  'demo.store_endpoint_secret',
  'update webhook_endpoint set secret = $4 where tenant_id = $1 and environment = $2 and id = $3',
)

/** Stores the secrets again that the process cannot read, since another one put the demo in. Nobody has been given them. */
export async function followSecrets(sql: Sql, options: Options): Promise<void> {
  const { environment, encryption_keys } = options
  const demo = [DEMO_TENANT_ID, environment]
  const box = createSecretBox(encryption_keys)
  for (const { id, secret } of await sql.rows<{ id: string; secret: string }>(STORED, [
    ...demo,
    ENDPOINT_PREFIX,
  ])) {
    try {
      box.decrypt(secret, placeIn(options, id))
    } catch (error) {
      if (!(error instanceof CannotDecrypt)) throw error
      await sql.rows(STORE, [...demo, id, storedSecret(id, options)])
    }
  }
}
