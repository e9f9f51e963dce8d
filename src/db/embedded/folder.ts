/** The folder of an embedded database: its permissions, and the creation of a database in it. */
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  type Stats,
  statfsSync,
} from 'node:fs'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderError, userName } from '../../lib/private-folder.ts'
import { isDiskFull } from '../errors.ts'

const VERSION = 'PG_VERSION'
/** A marker file, which is in the folder until its database is complete. Before, there is no data to lose. */
const UNFINISHED = 'database.unfinished'
/** The development secrets, which are not the database's. */
const SECRETS = 'dev.json'
/** The names of the lock's files begin with it: they are in the folder, so that all who share a volume see them. */
export const LOCK = 'database.lock'

const isDatabases = (name: string): boolean => !name.startsWith(SECRETS) && !name.startsWith(LOCK)

/** True if the folder has a complete database. */
export const hasDatabase = (directory: string): boolean =>
  existsSync(join(directory, VERSION)) && !isUnfinished(directory)

/** True if a database in the folder has been begun, and is not complete. */
export const isUnfinished = (directory: string): boolean => existsSync(join(directory, UNFINISHED))

/** Throws if the folder has files, and no database that is complete or begun. */
export function refuseOtherFiles(directory: string): void {
  const has = (name: string) => existsSync(join(directory, name))
  if (has('.') && !has(UNFINISHED) && !has(VERSION) && namesIn(directory).some(isDatabases))
    throw new Error(
      `The folder ${directory} holds files and no database: it has no ${VERSION}. Put the database back from a ` +
        'copy, or set DATA_DIR to an empty folder.',
    )
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    throw folderError(directory, error)
  }
}

/** Begins a database, with a copy of the prepared one if it can be copied. `finishDatabase` ends it. */
export async function beginDatabase(directory: string, prepared: string | undefined): Promise<void> {
  await writeFile(join(directory, UNFINISHED), '')
  await clear(directory)
  if (!prepared) return
  try {
    // Of thousands of small files, it takes half the time of the asynchronous one.
    cpSync(prepared, directory, { recursive: true })
  } catch (error) {
    const full = fullDisk(directory, error)
    await clear(directory)
    if (full) throw full
  }
}

/** The size of a file of the write-ahead log, which is made as a whole. */
const NEEDED_BYTES = 16 * 1024 ** 2

/** The error of a full disk; null if another one is the reason. */
export function fullDisk(directory: string, cause: unknown): Error | null {
  const { bavail, bsize } = statfsSync(directory)
  if (!isDiskFull(cause) && bavail * bsize >= NEEDED_BYTES) return null
  const left = Math.floor((bavail * bsize) / 1024 ** 2)
  return new Error(
    `The disk of ${directory} is full, with ${left} MB left: free some space, or set DATA_DIR to a folder elsewhere.`,
    { cause },
  )
}

/** From now on the folder has a database. */
export const finishDatabase = (directory: string): Promise<void> =>
  rm(join(directory, UNFINISHED), { force: true })

async function clear(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name === UNFINISHED || !isDatabases(name)) continue
    await rm(join(directory, name), { recursive: true, force: true })
  }
}

/**
 * Removes the permissions of group and others from the folder's files. Throws if a file that belongs to another user
 * cannot be used, since PostgreSQL would crash on it.
 */
export function restrictPermissions(directory: string): void {
  const me = process.getuid?.()
  // Windows has no such modes.
  if (me === undefined) return
  const visit = (path: string): void => {
    const stats = lstatSync(path)
    if (me === 0 || stats.uid === me) {
      if ((stats.mode & 0o077) !== 0 && !stats.isSymbolicLink()) chmodSync(path, stats.mode & 0o700)
    } else if (!isUsable(path, stats)) {
      throw unusable(directory, path, stats)
    }
    if (stats.isDirectory()) for (const name of readdirSync(path)) visit(join(path, name))
  }
  visit(directory)
}

/** The error of a database of which a file belongs to another user. */
export const unusable = (directory: string, path: string, { uid } = lstatSync(path)): Error =>
  new Error(
    `The database in ${directory} cannot be used by ${userName(process.getuid?.() ?? 0)}: ${path} belongs to ` +
      `${userName(uid)}. Start as that user, have the folder given to this one, or set DATA_DIR.`,
  )

function isUsable(path: string, stats: Stats): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | (stats.isDirectory() ? constants.X_OK : 0))
    return true
  } catch {
    return false
  }
}
