/**
 * A data directory that is migrated already, for embedded databases to start from: making one takes seconds, copying
 * it does not. Made when the packages are installed, and at the start that finds none for its migrations.
 */
import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { openDatabase } from '../src/db/database.ts'
import { CACHE } from '../src/lib/cache.ts'
import { readMigrations } from './folder.ts'
import { applyMigrations } from './migrate.ts'

const PREFIX = 'database-'

/** The directory for the migrations as they are, in `cache`; undefined where none can be made. */
export async function preparedDirectory(cache = CACHE): Promise<string | undefined> {
  const hash = createHash('sha256').update(JSON.stringify(await readMigrations()))
  const directory = join(cache, PREFIX + hash.digest('hex').slice(0, 16))
  if (existsSync(directory)) return directory
  try {
    await make(directory)
    return directory
  } catch {
    return undefined
  }
}

/** It appears whole or not at all; those of other migrations go. */
async function make(directory: string): Promise<void> {
  const draft = `${directory}.${randomUUID()}`
  const database = await openDatabase({
    database_url: undefined,
    data_dir: draft,
    pool_size: 1,
    timeout_ms: 60_000,
  })
  try {
    await applyMigrations(database)
  } finally {
    await database.close()
  }
  await rename(draft, directory).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true })
    // Another process was quicker.
    if (!existsSync(directory)) throw error
  })
  const others = (await readdir(dirname(directory))).filter(
    (name) => name.startsWith(PREFIX) && !name.startsWith(basename(directory)),
  )
  for (const name of others) await rm(join(dirname(directory), name), { recursive: true, force: true })
}

if (import.meta.main) {
  const made = await preparedDirectory()
  if (!made) console.warn('The embedded database could not be prepared: its first start takes longer.')
}
