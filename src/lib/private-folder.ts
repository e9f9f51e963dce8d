/** Folders that only their owner may read. */
import { existsSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** Creates the folder unless it exists. */
export async function privateFolder(folder: string): Promise<void> {
  try {
    await mkdir(dirname(resolve(folder)), { recursive: true })
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
    throw folderError(folder, error)
  }
}

/** Explains an error of the file system to the operator; other errors are returned unchanged. */
export function folderError(folder: string, error: unknown): unknown {
  const reason = reasonOf(error as NodeJS.ErrnoException, folder)
  if (!reason) return error
  const advice = 'Set DATA_DIR to a folder that this user may write to'
  return new Error(`The folder ${resolve(folder)} cannot be used: ${reason}. ${advice}.`, { cause: error })
}

/** The user's name in a message. */
export const userName = (uid: number): string => (uid === 0 ? 'root' : `user ${uid}`)

function reasonOf({ code }: NodeJS.ErrnoException, folder: string): string | null {
  switch (code) {
    case 'EACCES':
    case 'EPERM': {
      const existing = nearest(resolve(folder))
      const owner = userName(statSync(existing).uid)
      return `${userName(process.getuid?.() ?? 0)} may not write to ${existing}, which belongs to ${owner}`
    }
    case 'EROFS':
      return 'its file system is read-only'
    case 'ENOSPC':
    case 'EDQUOT':
      return 'there is no space left'
    case 'EEXIST':
    case 'ENOTDIR':
      return 'a part of its path is a file'
    default:
      return null
  }
}

const nearest = (path: string): string => (existsSync(path) ? path : nearest(dirname(path)))
