/**
 * The prepared data directory: a migrated database without data, which a new embedded database is a copy of. Migrating
 * takes seconds, copying does not. It is made when the packages are installed, and at a start that finds none.
 */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { CACHE } from '../../lib/file-cache.ts'
import { type Database, openDatabase } from '../database.ts'
import { LOCK } from '../embedded/folder.ts'
import { lockDirectory } from '../embedded/lock.ts'
import { applyMigrations } from './apply.ts'
import { schemaDigest } from './files.ts'

const PREFIX = 'database-'
/** Matches the name of a draft. */
const DRAFT = /^database-\w+\.[\w-]+$/

interface Preparation {
  cache?: string | undefined
  /** A migrated data directory to begin from. */
  from?: string | undefined
  /** Adds to the migrated database. */
  fill?: ((database: Database) => Promise<void>) | undefined
}

/** The path of the directory for today's migrations and functions, whether it is there or not. */
export const preparedPath = async (cache: string): Promise<string> =>
  join(cache, PREFIX + (await schemaDigest()).slice(0, 16))

/** The directory for today's migrations and functions, in `cache`; undefined if none can be made. */
export async function preparedDirectory({
  cache = CACHE,
  from,
  fill,
}: Preparation = {}): Promise<string | undefined> {
  const directory = await preparedPath(cache)
  try {
    if (!existsSync(directory)) await makeDirectory(directory, { from, fill })
  } catch {
    // Another process may have made it, and removed our draft.
    if (!existsSync(directory)) return undefined
  }
  await removeOutdated(directory).catch(() => {})
  return directory
}

/** Makes the directory as a draft, whose lock it holds, and renames it: other processes see all of it or nothing. */
async function makeDirectory(
  directory: string,
  { from, fill }: Pick<Preparation, 'from' | 'fill'>,
): Promise<void> {
  const draft = `${directory}.${randomUUID()}`
  await mkdir(dirname(directory), { recursive: true })
  const held = await lockDirectory(draft)
  try {
    const data_dir = join(draft, 'database')
    const database = await openDatabase({
      database_url: undefined,
      data_dir,
      prepared: async () => from,
      pool_size: 1,
      timeout_ms: 60_000,
    })
    try {
      await applyMigrations(database)
      await fill?.(database)
    } finally {
      await database.close()
    }
    // A copy over the lock of the folder that it is copied to would end that lock.
    await rm(join(data_dir, LOCK))
    await makeReadable(data_dir)
    await rename(data_dir, directory).catch((error: unknown) => {
      // Another process was quicker.
      if (!existsSync(directory)) throw error
    })
  } finally {
    await rm(draft, { recursive: true, force: true })
    await held.release()
  }
}

/** Every user of the machine may read the directory and run the service from it: it holds no data. */
async function makeReadable(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644)
  }
  await chmod(directory, 0o755)
}

/** Removes directories for other migrations, and drafts whose process is gone. */
async function removeOutdated(directory: string): Promise<void> {
  const cache = dirname(directory)
  const names = await readdir(cache)
  for (const name of names) {
    if (name === basename(directory) || !/^database-\w+$/.test(name)) continue
    await rm(join(cache, name), { recursive: true, force: true })
  }
  for (const draft of names.filter((name) => DRAFT.test(name))) {
    const held = await lockDirectory(join(cache, draft)).catch(() => null)
    if (!held) continue
    await rm(held.directory, { recursive: true, force: true })
    await held.release()
  }
}
