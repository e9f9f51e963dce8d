/** Two tenants that have connected HaloPSA at one address. */
import type pg from 'pg'
import { encryptSecrets, placeOf } from '../../src/areas/integrations/credentials.ts'
import { createSecretBox } from '../../src/lib/secret-box.ts'
import { SETTINGS } from '../../test/doubles/halo/server.ts'
import { connected } from '../data/databases.ts'
import { insertKey } from '../data/keys.ts'
import { ENVIRONMENT, type Tenant, tenantsNamed } from '../data/tenants.ts'

export const ENCRYPTION_KEY = { id: 'bench', key: Buffer.alloc(32, 1) }

export const [hostile, neighbour] = tenantsNamed('ten_neighbour', 2) as [Tenant, Tenant]

const NAME = 'halo-psa'
const COMPANIES = 5_000
const SECRET = 's'.repeat(43)
const connectionOf = (number: number): string => `con_${`${number}`.repeat(22)}`

/** The address to which the hostile tenant's PSA sends events. */
export const ingest_path = `/ingest/psa/${connectionOf(1)}?secret=${SECRET}`

const TENANT = `insert into tenant (id, name, psa_type, data_residency, referral_code, created_at)
  values ($1, $1, 'HALO_PSA', 'EU', $1, now())`
const SUBSCRIPTION = `insert into subscription (tenant_id, environment, first_period_start, updated_at)
  values ($1, '${ENVIRONMENT}', now(), now())`
const CONFIGURED = `insert into settings (tenant_id, environment, human_friendly_client_name,
    sleep_before_callback_processing_seconds, updated_at)
  values ($1, '${ENVIRONMENT}', $1, 0, now())`
const OWNER = `insert into tenant_user (tenant_id, environment, id, subject, name, email, role, created_at, updated_at)
  values ($1, '${ENVIRONMENT}', 'usr_owner', $1, 'Owner', 'owner@bench.test', 'OWNER', now(), now())`
const COMPANY_ROWS = `insert into end_company (tenant_id, environment, id, psa_company_id, name, domains, created_at, updated_at)
  select $1, '${ENVIRONMENT}', 'cmp_' || n, n, name, '{}', now(), now()
  from unnest($2::text[]) with ordinality as c (name, n)`
const CONNECTION = `insert into system_connection (tenant_id, environment, name, connection_id, settings, secret_names,
    secrets, ingest_secret, poll_interval_seconds, webhooks_registered_at, connected_at, updated_at, updated_by_name)
  values ($1, '${ENVIRONMENT}', $2, $3, $4, '{client_secret}', $5, $6, 0, now(), now() - interval '1 day', now(), 'Bench')`

async function storeTenant(client: pg.Client, tenant: Tenant, number: number, site: string): Promise<void> {
  const { id: tenant_id, key } = tenant
  const box = createSecretBox([ENCRYPTION_KEY])
  const place = { tenant_id, environment: ENVIRONMENT, name: NAME }
  const { client_secret, ...settings } = SETTINGS
  for (const statement of [TENANT, SUBSCRIPTION, CONFIGURED, OWNER])
    await client.query(statement, [tenant_id])
  await client.query(CONNECTION, [
    tenant_id,
    NAME,
    connectionOf(number),
    JSON.stringify({ site, ...settings }),
    encryptSecrets(box, place, { client_secret }),
    box.encrypt(SECRET, placeOf(place, 'ingest_secret')),
  ])
  await insertKey(client, { tenant_id, id: 'key_bench', secret: key, acting_user_id: null })
}

const WORDS = [
  'Alder',
  'Birch',
  'Cedar',
  'Dental',
  'Energy',
  'Foods',
  'Group',
  'Harbour',
  'Metals',
  'Partners',
]

/** An ordinary name; no two numbers below 100,000 have the same. */
export const nameOf = (number: number): string =>
  [...String(number).padStart(5, '0')].map((digit) => WORDS[Number(digit)]).join(' ')

/** A name of 500 characters that resembles an ordinary one. */
export const longNameOf = (number: number): string => `${nameOf(number)} `.repeat(20).slice(0, 500).trim()

/** What is stored of the name of a company, however long its PSA says it is. */
const COMPANY_NAME = 255

/** Stores both tenants. The hostile one has companies, half of them with long names. */
export async function storeTenants(url: string, site: string): Promise<void> {
  await connected(url, async (client) => {
    await storeTenant(client, hostile, 1, site)
    await storeTenant(client, neighbour, 2, site)
    const names = Array.from({ length: COMPANIES }, (_, n) =>
      (n % 2 ? nameOf(n * 7) : longNameOf(n * 7)).slice(0, COMPANY_NAME),
    )
    await client.query(COMPANY_ROWS, [hostile.id, names])
    await client.query('analyze')
  })
}

const DUE = `with polled as (
    update system_connection set poll_interval_seconds = 3600 where tenant_id = $1 and name = $2
  )
  insert into psa_poll (tenant_id, environment, name, due_at) values ($1, '${ENVIRONMENT}', $2, now())
  on conflict (tenant_id, environment, name) do update set due_at = now(), cursors = '{}'`

/** Makes the next poll of the hostile tenant's PSA due, with the room of a new hour. */
export const pollNow = (client: pg.Client) => client.query(DUE, [hostile.id, NAME])
