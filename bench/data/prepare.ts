/** Databases with the data, made when they are missing or made of something else. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type pg from 'pg'
import { hashSecret, lastFourOf, prefixOf } from '../../src/access/api-key-secret.ts'
import { SCOPES } from '../../src/access/scopes.ts'
import { progress } from '../progress.ts'
import { runScript, tablesHash } from '../service.ts'
import { connected, databaseName, SERVER, urlOf } from './databases.ts'
import { statements } from './statements.ts'
import { ENVIRONMENT, KEY_PEPPER, tenants } from './tenants.ts'

/** Rows in these must be readable from the index alone, as autovacuum sees to in production. */
const LARGE = [
  ...['company_link', 'execution', 'credit_entry', 'agent', 'audit_entry', 'agent_memory'],
  ...['callback', 'callback_match', 'upstream_call', 'psa_ticket'],
]

/** Tool calls and callbacks are read for a month only: older data is made anew. */
const FRESH_DAYS = 3
const DAY_MS = 86_400_000

/** What the database is made of; the same text, the same data. */
function recipe(scale: number): string {
  const hash = createHash('sha256').update(tablesHash())
  for (const file of ['statements.ts', 'observed.ts', 'words.ts', 'tenants.ts', 'prepare.ts']) {
    hash.update(readFileSync(`${import.meta.dirname}/${file}`))
  }
  return hash.update(`${scale}`).digest('hex')
}

async function insertKeys(client: pg.Client): Promise<void> {
  for (const { id: tenant_id, key, user_key } of tenants) {
    for (const [id, secret, user] of [
      ['key_bench', key, null],
      ['key_user', user_key, 'usr_user'],
    ] as const) {
      await client.query(
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
          user,
        ],
      )
    }
  }
}

/** Vacuumed twice: the first run after a load may leave the visibility map empty. */
async function settle(client: pg.Client): Promise<void> {
  await client.query('vacuum (analyze)')
  await client.query('vacuum (analyze)')
  const { rows } = await client.query<{ relname: string }>(
    'select relname from pg_class where relname = any($1) and relallvisible < relpages * 0.9',
    [LARGE],
  )
  if (rows.length > 0) throw new Error(`The visibility map of ${rows.map((row) => row.relname)} is not set`)
}

/** Drops the indexes of the large tables that no constraint needs; returns what makes them again. */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
     from pg_index i join pg_class t on t.oid = i.indrelid
     where t.relname = any($1) and not i.indisunique and t.relnamespace = 'public'::regnamespace`,
    [LARGE],
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map(({ definition }) => definition)
}

async function fill(url: string, scale: number): Promise<void> {
  runScript('migrate', url)
  await connected(url, async (client) => {
    await client.query(`set maintenance_work_mem = '512MB'`)
    const indexes = await dropIndexes(client)
    // Foreign keys and triggers cost more than the rows; the rollups are made at the end instead.
    await client.query('set session_replication_role = replica')
    for (const statement of statements(scale)) await client.query(statement)
    await client.query('set session_replication_role = origin')
    for (const definition of indexes) await client.query(definition)
    await insertKeys(client)
    // Without statistics the rollups are made by plans for tables of a few rows.
    await client.query('analyze')
  })
  runScript('rollups', url)
  await connected(url, settle)
}

/** The address of a database with the data, `scale` times as many links and executions in it. */
export async function prepare(scale: number): Promise<string> {
  const name = databaseName(scale)
  const url = urlOf(name)
  const made_of = recipe(scale)
  await connected(SERVER, async (admin) => {
    const { rows } = await admin.query(
      `select split_part(shobj_description(oid, 'pg_database'), ' ', 2)::timestamptz as made_at from pg_database
       where datname = $1 and split_part(shobj_description(oid, 'pg_database'), ' ', 1) = $2`,
      [name, made_of],
    )
    if (rows.some(({ made_at }) => Date.now() - made_at < FRESH_DAYS * DAY_MS)) return
    progress(`making the database ${name}`)
    await admin.query(`drop database if exists ${name} with (force)`)
    await admin.query(`create database ${name}`)
    await fill(url, scale)
    await admin.query(`comment on database ${name} is '${made_of} ${new Date().toISOString()}'`)
  })
  return url
}
