/** Reads the files of `prisma/`: the schema, the migrations, and the functions of the rollups. */

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg'
import type { Datamodels } from './engine.ts'

export const SCHEMA_FOLDER = join(import.meta.dirname, '../../../prisma')
export const MIGRATIONS_FOLDER = join(SCHEMA_FOLDER, 'migrations')

/** In the folder of the functions: a line for each text that a release had, as `sha256sum` writes it. */
export const TEXTS_FILE = 'texts.sha256'

/** SQL with the name of its folder or file. */
export interface Script {
  name: string
  script: string
}

/** The functions of a rollup, under its name. */
export interface RollupScript extends Script {
  /** The SHA-256 hashes of its texts in this release and those before, the oldest first. */
  texts: string[]
}

export interface SchemaScripts {
  migrations: Script[]
  /** The functions of each rollup. */
  functions: RollupScript[]
}

export const readScripts = async (folder = SCHEMA_FOLDER): Promise<SchemaScripts> => {
  const [migrations, functions] = await Promise.all([readMigrations(folder), readFunctions(folder)])
  return { migrations, functions }
}

/** Oldest first: a migration's name begins with its date. */
export const readMigrations = async (folder = SCHEMA_FOLDER): Promise<Script[]> => {
  const migrations = join(folder, 'migrations')
  const entries = await readdir(migrations, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(
    names.sort().map(async (name) => ({
      name,
      script: await readFile(join(migrations, name, 'migration.sql'), 'utf8'),
    })),
  )
}

export const readFunctions = async (folder = SCHEMA_FOLDER): Promise<RollupScript[]> => {
  const functions = join(folder, 'functions')
  const names = await readdir(functions).catch(() => [])
  const listed = await readFile(join(functions, TEXTS_FILE), 'utf8').catch(() => '')
  const texts = listed.split('\n').map((line) => line.split('  '))
  return Promise.all(
    names
      .filter((name) => name.endsWith('.sql'))
      .sort()
      .map(async (name) => ({
        name: name.slice(0, -'.sql'.length),
        script: await readFile(join(functions, name), 'utf8'),
        texts: texts.flatMap(([hash, file]) => (hash && file === name ? [hash] : [])),
      })),
  )
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A hash of all migrations and functions: the cache key of a migrated database. */
export const schemaDigest = async (folder = SCHEMA_FOLDER): Promise<string> =>
  sha256(JSON.stringify(await readScripts(folder)))

/** Migrations in the form that the engine takes. */
export const migrationList = (migrations: Script[]): MigrationList => ({
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
