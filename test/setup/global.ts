/** Global set-up: one migrated template database, which every worker clones. */

import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { databaseOn, openDatabase } from '../../src/db/database.ts'
import { openEmbedded } from '../../src/db/embedded/database.ts'
import { applyMigrations } from '../../src/db/migrations/apply.ts'
import { schemaDigest } from '../../src/db/migrations/files.ts'

declare module 'vitest' {
  interface ProvidedContext {
    template: Template
    /** A folder that the workers of one run share. */
    run_folder: string
  }
}

/** The template: the name of a database on PostgreSQL, otherwise the file of a dump. */
export type Template = { server: string; name: string } | { server: null; file: string }

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/test-database')

let template: Template | undefined
let run_folder: string | undefined

export const setup = async (project: TestProject): Promise<void> => {
  const server = process.env.DATABASE_URL
  template = server ? { server, name: `test_${Date.now()}_${process.pid}` } : await migratedDump()
  if (template.server !== null) await migrateNew(template.server, template.name)
  project.provide('template', template)
  run_folder = await mkdtemp(join(tmpdir(), 'tests-'))
  project.provide('run_folder', run_folder)
}

/** Drops the template and every clone; the names of clones begin with the template's. */
export const teardown = async (): Promise<void> => {
  if (run_folder) await rm(run_folder, { recursive: true, force: true })
  if (!template?.server) return
  const { name } = template
  await onServer(template.server, async (client) => {
    const { rows } = await client.query('select datname from pg_database where starts_with(datname, $1)', [
      name,
    ])
    for (const { datname } of rows) await client.query(`drop database "${datname}" with (force)`)
  })
}

const migrateNew = async (server: string, name: string): Promise<void> => {
  await onServer(server, (client) => client.query(`create database "${name}"`))
  const url = new URL(server)
  url.pathname = name
  const database = await openDatabase({
    database_url: url.href,
    data_dir: 'memory',
    pool_size: 1,
    timeout_ms: 20_000,
  })
  await applyMigrations(database)
  await database.close()
}

/** The dump's cache file, named by a hash of migrations and functions. */
const migratedDump = async (): Promise<Template> => {
  const file = join(CACHE, `${await schemaDigest()}.tar`)
  const kept = await stat(file).catch(() => null)
  if (!kept) await writeDump(file)
  return { server: null, file }
}

const writeDump = async (file: string): Promise<void> => {
  const driver = await openEmbedded('memory')
  const database = databaseOn(driver, 60_000)
  await applyMigrations(database)
  // A dump after a checkpoint opens without recovery from its log.
  await driver.pglite.exec('checkpoint')
  const dump = await driver.pglite.dumpDataDir('none')
  await database.close()
  await mkdir(CACHE, { recursive: true })
  await writeFile(`${file}.${process.pid}`, Buffer.from(await dump.arrayBuffer()))
  await rename(`${file}.${process.pid}`, file)
}

const onServer = async <Result>(url: string, work: (client: pg.Client) => Promise<Result>) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
