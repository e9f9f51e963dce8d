/** The data that is measured: one MSP with 200,000 company links, made by the database itself. */
import pg from 'pg'
import { applyMigrations } from '../prisma/migrate.ts'
import { hashSecret, lastFourOf, newSecret, prefixOf } from '../src/access/api-key-secret.ts'
import { SCOPES } from '../src/access/scopes.ts'
import { openDatabase } from '../src/db/database.ts'

export const ENVIRONMENT = 'bench'
export const KEY_PEPPER = 'the pepper of the benchmark'
export const SYSTEM = 'HUDU'

const TENANT = 'ten_bench'
const LINKS = 200_000
const SYSTEMS = [SYSTEM, 'IT_GLUE', 'NINJAONE', 'DATTO_RMM', 'HUNTRESS', 'PAX8', 'AUVIK', 'MIMECAST']

const statements = (links: number): string[] => [
  `insert into tenant (id, name, data_residency, referral_code, features, created_at)
   values ('${TENANT}', 'Bench MSP', 'EU', 'BENCH1', '{}', now())`,
  `insert into settings (tenant_id, environment, human_friendly_client_name, timezone, updated_at)
   values ('${TENANT}', '${ENVIRONMENT}', 'Bench MSP', 'Europe/London', now())`,
  `insert into tenant_user (tenant_id, environment, id, subject, name, email, role, created_at, updated_at)
   values ('${TENANT}', '${ENVIRONMENT}', 'usr_bench', 'bench', 'Bench Owner', 'owner@bench.test', 'OWNER', now(), now())`,
  `insert into end_company (tenant_id, environment, id, psa_company_id, name, domains, created_at, updated_at)
   select '${TENANT}', '${ENVIRONMENT}', 'cmp_' || n, 'psa_' || n, 'Company ' || md5(n::text), '{}', now(), now()
   from generate_series(1, 1000) n`,
  `insert into company_link (tenant_id, environment, system, external_id, external_name, psa_company_id,
     psa_company_name, link_state, match_method, confidence, hidden, created_at, updated_at)
   select '${TENANT}', '${ENVIRONMENT}', ('{${SYSTEMS.join(',')}}'::text[])[1 + n % ${SYSTEMS.length}], 'ext_' || n,
     'Entity ' || md5(n::text), case when n % 5 > 0 then 'psa_' || 1 + n % 1000 end,
     case when n % 5 > 0 then 'Company ' || 1 + n % 1000 end,
     (case when n % 5 = 0 then 'UNMAPPED' when n % 7 = 0 then 'MANUAL' else 'AUTO' end)::link_state,
     (case when n % 5 = 0 then 'UNMATCHED' when n % 7 = 0 then 'MANUAL' else 'DOMAIN' end)::match_method,
     case when n % 5 = 0 then 0 when n % 7 = 0 then 1 else 0.9 end, n % 97 = 0, now(), now()
   from generate_series(1, ${links}) n`,
]

/** Vacuumed twice: the first run after a load may leave the visibility map empty. */
async function settle(client: pg.Client): Promise<void> {
  await client.query('vacuum analyze')
  await client.query('vacuum analyze company_link')
  const { rows } = await client.query(`select relallvisible from pg_class where relname = 'company_link'`)
  if (rows[0].relallvisible === 0) throw new Error('The visibility map of company_link is empty')
}

/** A new database with the data; its address and the key that may read it. */
export async function prepare(server: string, scale: number): Promise<{ database_url: string; key: string }> {
  const url = new URL(server)
  url.pathname = 'automation_service_bench'
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  await admin.query('drop database if exists automation_service_bench with (force)')
  await admin.query('create database automation_service_bench')
  await admin.end()

  const database_url = url.href
  const database = await openDatabase({ database_url, data_dir: '', pool_size: 2, timeout_ms: 600_000 })
  await applyMigrations(database)
  const client = new pg.Client({ connectionString: database_url })
  await client.connect()
  for (const statement of statements(LINKS * scale)) await client.query(statement)
  const key = newSecret(ENVIRONMENT)
  const now = new Date()
  await database.prisma.apiKey.create({
    data: {
      tenant_id: TENANT,
      environment: ENVIRONMENT,
      id: 'key_bench',
      name: 'bench',
      key_hash: Buffer.from(hashSecret(KEY_PEPPER, key)),
      prefix: prefixOf(key),
      last_four: lastFourOf(key),
      scopes: [...SCOPES],
      allowed_cidrs: [],
      created_by_user_id: 'usr_bench',
      created_by_name: 'Bench Owner',
      created_at: now,
      updated_at: now,
      expires_at: new Date(now.getTime() + 365 * 24 * 60 * 60 * 1000),
    },
  })
  await settle(client)
  await client.end()
  await database.close()
  return { database_url, key }
}
