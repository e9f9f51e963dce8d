/** The lock of an embedded database: two processes on one would silently lose each other's writes. */

import { accessSync, constants, existsSync } from 'node:fs'
import { readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { folderError, privateFolder } from '../../lib/private-folder.ts'
import { LOCK, unusable } from './folder.ts'

interface Holder {
  pid: number
  host: string
}

interface HeldLock {
  /** The folder, without symbolic links. */
  directory: string
  release(): Promise<void>
}

/** Locks the folder, which is made if it is missing. */
export async function lockDirectory(data_dir: string): Promise<HeldLock> {
  await privateFolder(data_dir)
  const directory = await realpath(data_dir)
  const holder = join(directory, `${LOCK}.holder`)
  const lock = await acquire(directory, holder)
  try {
    await writeFile(holder, JSON.stringify({ pid: process.pid, host: hostname() } satisfies Holder))
  } catch (error) {
    lock.close()
    throw folderError(directory, error)
  }
  return {
    directory,
    release: async () => {
      await rm(holder, { force: true })
      lock.close()
    },
  }
}

/** SQLite's lock is one of the operating system, which ends with the process however that ends. */
async function acquire(directory: string, holder: string): Promise<DatabaseSync> {
  const path = join(directory, LOCK)
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
    const lock = new DatabaseSync(path)
    // Nothing is written to the file, and no other one is made.
    lock.exec('pragma journal_mode = memory; begin exclusive')
    return lock
  } catch (error) {
    const { errcode, message } = error as Error & { errcode?: number }
    if (errcode === undefined) throw folderError(directory, error)
    if (errcode === SQLITE_BUSY) throw await inUse(directory, holder)
    if (existsSync(path)) throw unusable(directory, path)
    throw new Error(`The folder ${directory} cannot be used: it takes no lock (${message}).`, {
      cause: error,
    })
  }
}

const SQLITE_BUSY = 5

/** The code of the error of a database that another process has open. */
const IN_USE = 'EBUSY'

/** True if another process has the embedded database open. */
export const isInUse = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === IN_USE

async function inUse(directory: string, path: string): Promise<Error> {
  const holder: Partial<Holder> = await readFile(path, 'utf8')
    .then(JSON.parse)
    .catch(() => ({}))
  const { pid = 'unknown', host = hostname() } = holder
  const message =
    `The embedded database in ${directory} is in use by process ${pid}${host === hostname() ? '' : ` on ${host}`}. ` +
    'Stop that process, or set DATA_DIR or DATABASE_URL.'
  return Object.assign(new Error(message), { code: IN_USE })
}
