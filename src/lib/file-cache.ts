/** A cache in files, kept between starts beside the installed packages. */
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

// The shared temporary folder is not safe: other users could write files there.
export const CACHE = join(import.meta.dirname, '../../node_modules/.cache/automation-service')

/** The cached text, or else that of `make`. The name has to determine the text. */
export async function cachedInFile(name: string, make: () => Promise<string>): Promise<string> {
  const path = join(CACHE, name)
  try {
    return await readFile(path, 'utf8')
  } catch {
    const text = await make()
    await writeAtomically(path, text).catch(() => {})
    return text
  }
}

/** Writes the file atomically. */
async function writeAtomically(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`
  await mkdir(dirname(path), { recursive: true })
  await writeFile(draft, text)
  await rename(draft, path)
}
