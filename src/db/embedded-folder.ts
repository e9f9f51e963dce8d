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
} from 'node:fs'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderError, userName } from '../lib/private-folder.ts'

const VERSION = 'PG_VERSION'
/** A marker file, which is in the folder until its database is complete. Before, there is no data to lose. */
const UNFINISHED = 'database.unfinished'
/** The development secrets, which are not the database's. */
const SECRETS = 'dev.json'

/** True where the folder has a complete database. Throws where it has other files. */
export function hasDatabase(directory: string): boolean {
  if (existsSync(join(directory, UNFINISHED))) return false
  if (existsSync(join(directory, VERSION))) return true
  if (namesIn(directory).every((name) => name.startsWith(SECRETS))) return false
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

/** Begins a database, with a copy of the prepared one where it can be copied. `finishDatabase` ends it. */
export async function beginDatabase(directory: string, prepared: string | undefined): Promise<void> {
  await writeFile(join(directory, UNFINISHED), '')
  await clear(directory)
  if (!prepared) return
  try {
    // Of thousands of small files, it takes half the time of the asynchronous one.
    cpSync(prepared, directory, { recursive: true })
  } catch {
    await clear(directory)
  }
}

/** From now on the folder has a database. */
export const finishDatabase = (directory: string): Promise<void> =>
  rm(join(directory, UNFINISHED), { force: true })

async function clear(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name === UNFINISHED || name.startsWith(SECRETS)) continue
    await rm(join(directory, name), { recursive: true, force: true })
  }
}

/**
 * Removes the permissions of group and others from the folder's files. Throws where a file that belongs to another user
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
      throw new Error(
        `The database in ${directory} cannot be used by ${userName(me)}: ${path} belongs to ` +
          `${userName(stats.uid)}. Start as that user, have the folder given to this one, or set DATA_DIR.`,
      )
    }
    if (stats.isDirectory()) for (const name of readdirSync(path)) visit(join(path, name))
  }
  visit(directory)
}

function isUsable(path: string, stats: Stats): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | (stats.isDirectory() ? constants.X_OK : 0))
    return true
  } catch {
    return false
  }
}
