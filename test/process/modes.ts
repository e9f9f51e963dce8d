import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The modes of everything in the folder, each once. */
export const modesIn = async (folder: string): Promise<string[]> => {
  const names = ['.', ...(await readdir(folder, { recursive: true }))]
  const all = await Promise.all(
    names.map(async (name) => {
      const stats = await stat(join(folder, name))
      return `${stats.isDirectory() ? 'd' : '-'}${(stats.mode & 0o777).toString(8)}`
    }),
  )
  return [...new Set(all)].sort()
}

/** Only the owner may do anything with it. */
export const PRIVATE = ['-600', 'd700']
