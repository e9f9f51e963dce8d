/** A tenant with many rows in every list that grows: nearly all are alike, and what differs is old. */
import pg from 'pg'
import { together } from '../setup/suites/areas.ts'
import { AGENTS, FEW, ROWS, UNSEEN } from '../setup/suites/skewed.ts'
import type { Msp } from '../setup/world.ts'

const TABLES = together(({ skewed_rows }) => skewed_rows)

const DEFINITIONS = `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
  from pg_index where indrelid = $1::regclass and not indisunique`

/** Adds the rows, and then makes the indexes that lists follow: searches have no part in this. */
async function fillTable(client: pg.Client, table: string, { tenant_id, environment }: Msp): Promise<void> {
  const columns = { ...TABLES[table] }
  const { rows } = await client.query<{ name: string; definition: string }>(DEFINITIONS, [table])
  for (const { name } of rows) await client.query(`drop index ${name}`)
  await client.query(
    `insert into ${table} (tenant_id, environment, ${Object.keys(columns).join(', ')})
     select $1, $2, ${Object.values(columns).join(', ')} from generate_series(1, ${ROWS}) n`,
    [tenant_id, environment],
  )
  for (const { definition } of rows) if (!definition.includes('gin_trgm_ops')) await client.query(definition)
  await client.query(`analyze ${table}`)
}

async function addFew(client: pg.Client, msp: Msp): Promise<void> {
  const { tenant_id, environment, user, viewer } = msp
  await client.query(
    `insert into agent (tenant_id, environment, id, name, state, autonomy_type, trigger_type, entity_type,
       agent_settings, created_by_name, created_by_user_id, created_at, updated_at)
     select $1, $2, n, 'Agent ' || n, 'ACTIVE', 'AGENTIC', 'TRIGGERED', 'TICKET', '{}', 'Somebody',
       case when n > ${AGENTS} then $4 when n > ${UNSEEN} then $3 end, now(), now()
     from generate_series(1, ${FEW.idle}) n`,
    [tenant_id, environment, user.id, viewer.id],
  )
  await client.query(
    `insert into end_company (tenant_id, environment, id, psa_company_id, name, created_at, updated_at)
     select $1, $2, 'cmp_' || n, 'psa_' || n, 'Company ' || n, now(), now() from generate_series(0, 999) n`,
    [tenant_id, environment],
  )
  await client.query(
    `insert into channel (tenant_id, environment, id, name, agent_id, transport, audience, display_name, created_at,
       updated_at)
     select $1, $2, 'chn_' || n, 'A channel', 1, 'WEB_CHAT', 'END_USERS', 'A channel', now(), now()
     from generate_series(1, 2) n`,
    [tenant_id, environment],
  )
  await client.query(
    `insert into rmm_script (tenant_id, environment, id, system, external_id, name, shell, default_timeout_seconds,
       run_as_user, body_sha256, created_at, updated_at, synced_at)
     select $1, $2, 'scr_few_' || n, 'NINJAONE', 'few_' || n, 'A script', 'OTHER', 90, false, 'a', now(), now(), now()
     from generate_series(1, 2) n`,
    [tenant_id, environment],
  )
  await client.query(
    `insert into webhook_endpoint (tenant_id, environment, id, url, event_types, secret, created_by_name, created_at,
       updated_at)
     select $1, $2, 'whe_' || n, 'https://hooks.example', '{*}', '', 'Somebody', now(), now()
     from generate_series(1, 2) n`,
    [tenant_id, environment],
  )
}

/** So many tables are filled at a time. */
const AT_ONCE = 2

export async function fillTenant(url: string, msp: Msp): Promise<void> {
  const tables = Object.keys(TABLES).values()
  const fillTables = async (client: pg.Client): Promise<void> => {
    // Triggers and references cost more than the rows: the rows keep what they would have checked.
    await client.query(`set session_replication_role = replica; set synchronous_commit = off`)
    await client.query(`set maintenance_work_mem = '256MB'; set max_parallel_maintenance_workers = 0`)
    for (const table of tables) await fillTable(client, table, msp)
  }
  await connected(url, (client) => addFew(client, msp))
  await Promise.all(Array.from({ length: AT_ONCE }, () => connected(url, fillTables)))
}

async function connected(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
