/** A tenant that has connected the double of a PSA, in a database of its own. */

import { encryptSecrets, placeOf } from '../../src/areas/integrations/credentials.ts'
import { createSecretBox } from '../../src/lib/secret-box.ts'
import { connected } from '../data/databases.ts'

export const ENCRYPTION_KEY = { id: 'bench', key: Buffer.alloc(32, 1) }

export const place = { tenant_id: 'ten_ingest', environment: 'bench', name: 'connectwise-psa' }
export const CONNECTION_ID = `con_${'1'.repeat(22)}`
export const SECRET = 's'.repeat(43)

interface Settings {
  site: string
  company: string
  client_id: string
  public_key: string
  private_key: string
}

const TENANT = `insert into tenant (id, name, psa_type, data_residency, referral_code, created_at)
  values ($1, 'Ingest', 'CONNECTWISE_PSA', 'EU', 'i', now())`
const SETTINGS = `with subscribed as (
    insert into subscription (tenant_id, environment, first_period_start, updated_at) values ($1, $2, now(), now())
  )
  insert into settings (tenant_id, environment, human_friendly_client_name, sleep_before_callback_processing_seconds,
    updated_at) values ($1, $2, 'Ingest', 0, now())`
const CONNECTION = `insert into system_connection (tenant_id, environment, name, connection_id, settings, secret_names, secrets,
    ingest_secret, poll_interval_seconds, webhooks_registered_at, updated_at, updated_by_name)
  values ($1, $2, $3, $4, $5, '{}', $6, $7, 0, now(), now(), 'Bench')`
/** Stores the tenant and its connection. */
export async function storeTenant(url: string, { site, public_key, private_key, ...rest }: Settings) {
  const box = createSecretBox([ENCRYPTION_KEY])
  const { tenant_id, environment, name } = place
  const secrets = encryptSecrets(box, place, { public_key, private_key })
  const ingest_secret = box.encrypt(SECRET, placeOf(place, 'ingest_secret'))
  await connected(url, async (client) => {
    await client.query(TENANT, [tenant_id])
    await client.query(SETTINGS, [tenant_id, environment])
    const settings = JSON.stringify({ site, ...rest })
    await client.query(CONNECTION, [
      tenant_id,
      environment,
      name,
      CONNECTION_ID,
      settings,
      secrets,
      ingest_secret,
    ])
  })
}
