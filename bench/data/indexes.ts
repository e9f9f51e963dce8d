/** Filling of large tables: without their indexes, which cost more than the rows. */
import type pg from 'pg'

/** Drops the indexes of the tables that no constraint needs; returns what makes them again. */
async function dropIndexes(client: pg.Client, tables: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
     from pg_index i join pg_class t on t.oid = i.indrelid
     where t.relname = any($1) and not i.indisunique and t.relnamespace = 'public'::regnamespace`,
    [tables],
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map(({ definition }) => definition)
}

/** Fills the tables without triggers, without checks of foreign keys, and without the indexes of these tables. */
export async function filled(
  client: pg.Client,
  tables: readonly string[],
  fill: () => Promise<void>,
): Promise<void> {
  await client.query(`set maintenance_work_mem = '512MB'`)
  const indexes = await dropIndexes(client, tables)
  await client.query('set session_replication_role = replica')
  await fill()
  await client.query('set session_replication_role = origin')
  for (const definition of indexes) await client.query(definition)
}
