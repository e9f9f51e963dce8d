/** What can be made again at any time, kept from start to start where the installed packages are. */
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

// Not in the shared temporary folder, where other users could put files of theirs.
export const CACHE = join(import.meta.dirname, '../../node_modules/.cache/automation-service')

/** The text in the file of this name, which names everything the text depends on; else what `make` makes. */
export async function cached(name: string, make: () => Promise<string>): Promise<string> {
  const path = join(CACHE, name)
  try {
    return await readFile(path, 'utf8')
  } catch {
    const text = await make()
    await keep(path, text).catch(() => {})
    return text
  }
}

/** Whole or not at all; where nothing can be written, nothing is kept. */
async function keep(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`
  await mkdir(dirname(path), { recursive: true })
  await writeFile(draft, text)
  await rename(draft, path)
}
