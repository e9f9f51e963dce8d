/** Reads the Prisma schema and the migrations. */

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg'
import type { Datamodels } from './engine.ts'

export const SCHEMA_FOLDER = join(import.meta.dirname, '../../../prisma')
export const MIGRATIONS_FOLDER = join(SCHEMA_FOLDER, 'migrations')

export interface Migration {
  name: string
  script: string
}

/** Oldest first: a migration's name begins with its date. */
export const readMigrations = async (folder = MIGRATIONS_FOLDER): Promise<Migration[]> => {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(
    names.sort().map(async (name) => ({
      name,
      script: await readFile(join(folder, name, 'migration.sql'), 'utf8'),
    })),
  )
}

/** Migrations as the engine wants to be told of them. */
export const migrationList = (migrations: Migration[]): MigrationList => ({
  baseDir: MIGRATIONS_FOLDER,
  lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
  shadowDbInitScript: '',
  migrationDirectories: migrations.map(({ name, script }) => ({
    path: name,
    migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: script } },
  })),
})

export const readDatamodels = async (): Promise<Datamodels> => {
  const names = (await readdir(SCHEMA_FOLDER)).filter((name) => name.endsWith('.prisma')).sort()
  return Promise.all(
    names.map(async (name) => {
      const path = join(SCHEMA_FOLDER, name)
      return [path, await readFile(path, 'utf8')] as Datamodels[number]
    }),
  )
}
