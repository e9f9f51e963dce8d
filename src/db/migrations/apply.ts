/** Applies the migrations that a database lacks. */

import { createHash } from 'node:crypto'
import { remembered } from '../../lib/cached-answer.ts'
import type { Database } from '../database.ts'
import type { Migrator } from '../driver.ts'
import { type Sql, statement } from '../sql.ts'
import { type Migration, migrationList, readMigrations } from './files.ts'

/** The names of the migrations that were missing. Rejects when one fails, and from then on. */
export const applyMigrations = async (
  database: Pick<Database, 'sql' | 'migrating'>,
  folder?: string,
): Promise<string[]> => {
  const migrations = await readMigrations(folder)
  if (await isCurrent(database.sql, migrations)) return []
  return database.migrating((migrator) => applyWith(migrator, migrations))
}

const applyWith = async ({ adapter }: Migrator, migrations: Migration[]): Promise<string[]> => {
  const { filters, openEngine } = await import('./engine.ts')
  const engine = await openEngine(adapter)
  try {
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: migrationList(migrations),
      filters,
    })
    return appliedMigrationNames
  } finally {
    engine.free()
  }
}

/** Whether the database has every migration: asked at most once a second, and no more once it has them. */
export const migrationCheck = (sql: Sql): (() => Promise<boolean>) => {
  let current = false
  const ask = remembered(1000, async () => {
    current = await isCurrent(sql, await readMigrations())
    return current
  })
  return async () => current || ask()
}

const HAS_RECORDS = statement(
  'migrations.exist',
  `select to_regclass('_prisma_migrations') is not null as exist`,
)
const RECORDS = statement(
  'migrations.records',
  `select migration_name as name, checksum, finished_at is null as failed
   from _prisma_migrations where rolled_back_at is null`,
)

/** Whether the engine would find nothing to do, and nothing to complain of. */
const isCurrent = async (sql: Sql, migrations: Migration[]): Promise<boolean> => {
  const [records] = await sql.rows<{ exist: boolean }>(HAS_RECORDS, [])
  if (!records?.exist) return false
  const applied = await sql.rows<{ name: string; checksum: string; failed: boolean }>(RECORDS, [])
  if (applied.some(({ failed }) => failed)) return false
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]))
  return migrations.every(({ name, script }) => checksums.get(name) === checksumOf(script))
}

const checksumOf = (script: string) => createHash('sha256').update(script).digest('hex')
