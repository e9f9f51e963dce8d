/** The lock of an embedded database: two processes on one would silently lose each other's writes. */

import { randomUUID } from 'node:crypto'
import { link, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { folderError, privateFolder } from '../lib/private-folder.ts'

interface Holder {
  pid: number
  host: string
  /** The start time of the process, where the system tells it: a later process may have the same pid. */
  began: string | null
  token: string
}

/** The lock is a file beside the directory, so that the database never sees it. */
export const lockDirectory = async (data_dir: string) => {
  await privateFolder(data_dir)
  const directory = await realpath(data_dir)
  const path = `${directory}.lock`
  const me = await thisProcess()
  await acquire(path, me, directory).catch((error: unknown) => {
    throw folderError(dirname(directory), error)
  })
  const release = async () => {
    if ((await holderOf(path))?.token === me.token) await rm(path, { force: true })
  }
  return { directory, release }
}

const acquire = async (path: string, me: Holder, directory: string): Promise<void> => {
  while (!(await createLockFile(path, me))) {
    const holder = await holderOf(path)
    if (holder === null) continue
    if (await isAlive(holder)) throw new Error(refusal(holder, directory, path))
    // A dead process's lock is removed under a second lock, so that two processes do not both remove it.
    const guard = `${path}.${holder.token}`
    await acquire(guard, me, directory)
    if ((await holderOf(path))?.token === holder.token) await rm(path)
    await rm(guard)
  }
}

/** A link appears with its content, or not at all. */
const createLockFile = async (path: string, me: Holder): Promise<boolean> => {
  const draft = `${path}.${me.token}.new`
  await writeFile(draft, JSON.stringify(me))
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft)
  }
}

const holderOf = async (path: string): Promise<Holder | null> => {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw new Error(`The lock file ${path} cannot be read: remove it if nothing uses the database.`, {
      cause: error,
    })
  }
}

const thisProcess = async (): Promise<Holder> => ({
  pid: process.pid,
  host: hostname(),
  began: await startTimeOf(process.pid),
  token: randomUUID(),
})

/** True while the process lives. A process of another machine cannot be checked and counts as alive. */
const isAlive = async (holder: Holder): Promise<boolean> => {
  if (holder.host !== hostname()) return true
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false
  }
  return holder.began === null || holder.began === (await startTimeOf(holder.pid))
}

/** The boot and the tick at which a process began, on Linux. */
const startTimeOf = async (pid: number): Promise<string | null> => {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    return `${boot.trim()}:${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`
  } catch {
    return null
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code

const refusal = ({ pid, host }: Holder, directory: string, path: string) =>
  `The embedded database in ${directory} is in use by process ${pid}${host === hostname() ? '' : ` on ${host}`}. ` +
  `Stop that process, or set DATA_DIR or DATABASE_URL. (If it is gone, remove ${path}.)`
