/**
 * A data directory that is migrated already, for embedded databases to start from: making one takes seconds, copying
 * it does not. Made when the packages are installed, and at the start that finds none for its migrations.
 */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { CACHE } from '../../lib/cache.ts'
import { openDatabase } from '../database.ts'
import { holdDirectory } from '../embedded-lock.ts'
import { applyMigrations } from './apply.ts'
import { schemaDigest } from './files.ts'

const PREFIX = 'database-'
/** Matches the beginning of a draft's name and of its lock's. */
const DRAFT = /^database-\w+\.[\w-]+/

/** The directory for today's migrations and functions, in `cache`; undefined where none can be made. */
export async function preparedDirectory(cache = CACHE): Promise<string | undefined> {
  const directory = join(cache, PREFIX + (await schemaDigest()).slice(0, 16))
  try {
    if (!existsSync(directory)) await make(directory)
  } catch {
    return undefined
  }
  await sweep(directory).catch(() => {})
  return directory
}

/** Makes the directory under a draft's name and renames it, so that it appears whole; the draft's lock is held meanwhile. */
async function make(directory: string): Promise<void> {
  const draft = `${directory}.${randomUUID()}`
  await mkdir(dirname(directory), { recursive: true })
  const held = await holdDirectory(draft)
  try {
    const data_dir = join(draft, 'database')
    const database = await openDatabase({
      database_url: undefined,
      data_dir,
      pool_size: 1,
      timeout_ms: 60_000,
    })
    try {
      await applyMigrations(database)
    } finally {
      await database.close()
    }
    await openToAll(data_dir)
    await rename(data_dir, directory).catch((error: unknown) => {
      // Another process was quicker.
      if (!existsSync(directory)) throw error
    })
  } finally {
    await rm(draft, { recursive: true, force: true })
    await held.release()
  }
}

/** There is nobody's data in it, and whoever may run the service may begin from it. */
async function openToAll(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644)
  }
  await chmod(directory, 0o755)
}

/** Removes what was prepared for other migrations, and drafts that nobody is at work on. */
async function sweep(directory: string): Promise<void> {
  const cache = dirname(directory)
  const names = await readdir(cache)
  for (const name of names) {
    if (name === basename(directory) || !/^database-\w+$/.test(name)) continue
    await rm(join(cache, name), { recursive: true, force: true })
  }
  for (const draft of new Set(names.flatMap((name) => DRAFT.exec(name) ?? []))) {
    const held = await holdDirectory(join(cache, draft)).catch(() => null)
    if (!held) continue
    await rm(held.directory, { recursive: true, force: true })
    await held.release()
  }
}
