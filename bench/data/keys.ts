/** API keys of the data. */
import type pg from 'pg'
import { hashSecret, lastFourOf, prefixOf } from '../../src/access/credentials/api-key-secret.ts'
import { SCOPES } from '../../src/access/policies/scopes.ts'
import { ENVIRONMENT, KEY_PEPPER } from './tenants.ts'

interface Key {
  tenant_id: string
  id: string
  secret: string
  acting_user_id: string | null
}

export const insertKey = (client: pg.Client, { tenant_id, id, secret, acting_user_id }: Key) =>
  client.query(
    `insert into api_key (tenant_id, environment, id, name, key_hash, prefix, last_four, scopes, acting_user_id,
       created_by_user_id, created_by_name, created_at, updated_at, expires_at)
     values ($1, $2, $3, $3, $4, $5, $6, $7, $8, 'usr_owner', 'Owner', now(), now(), now() + interval '10 years')`,
    [
      tenant_id,
      ENVIRONMENT,
      id,
      hashSecret(KEY_PEPPER, secret),
      prefixOf(secret),
      lastFourOf(secret),
      SCOPES,
      acting_user_id,
    ],
  )
