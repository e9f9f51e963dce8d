/** Databases with the data, made when they are missing or made of something else. */
import type pg from 'pg'
import { runScript } from '../service.ts'
import { connected, databaseName } from './databases.ts'
import { filled } from './indexes.ts'
import { kept, onNew, recipe } from './kept.ts'
import { insertKey } from './keys.ts'
import { statements } from './statements.ts'
import { tenants } from './tenants.ts'

/** Rows in these must be readable from the index alone, as autovacuum sees to in production. */
const LARGE = [
  'company_link',
  'execution',
  'credit_entry',
  'agent',
  'audit_entry',
  'agent_memory',
  'callback',
  'callback_match',
  'upstream_call',
  'psa_ticket',
]

const MADE_BY = [
  'statements.ts',
  'observed.ts',
  'words.ts',
  'tenants.ts',
  'keys.ts',
  'indexes.ts',
  'prepare.ts',
]

async function insertKeys(client: pg.Client): Promise<void> {
  for (const { id: tenant_id, key, user_key } of tenants) {
    await insertKey(client, { tenant_id, id: 'key_bench', secret: key, acting_user_id: null })
    await insertKey(client, { tenant_id, id: 'key_user', secret: user_key, acting_user_id: 'usr_user' })
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

async function fill(url: string, scale: number): Promise<void> {
  runScript('migrate', url)
  await connected(url, async (client) => {
    // The rollups are made at the end instead of by triggers.
    await filled(client, LARGE, async () => {
      for (const statement of statements(scale)) await client.query(statement)
    })
    await insertKeys(client)
    // Without statistics the rollups are made by plans for tables of a few rows.
    await client.query('analyze')
  })
  runScript('rollups', url)
  await connected(url, settle)
}

/** The address of a database with the data, `scale` times as many links and executions in it. */
export function prepare(scale: number): Promise<string> {
  const files = MADE_BY.map((file) => `${import.meta.dirname}/${file}`)
  return kept(databaseName(scale), recipe(files, scale), (url) => fill(url, scale))
}

/** Works on a database with the data, which is dropped afterwards. */
export const onNewData = <T>(work: (url: string) => Promise<T>): Promise<T> =>
  onNew(`${databaseName(1)}_${process.pid}`, (url) => fill(url, 1), work)
