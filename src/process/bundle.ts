/** The service in a bundle, made when the packages are installed: it loads in half the time that its files take. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')
// Not in the shared temporary folder, where other users could write code.
const CACHE = join(ROOT, 'node_modules/.cache/automation-service')
export const BUNDLE = join(CACHE, 'bundle')
/** The cache that `entry.js` enables. */
export const COMPILE_CACHE = join(CACHE, 'compile')

/** The files that a bundle was made of: the path of each from the root, and its state then. */
export type Sources = Readonly<Record<string, string>>

/** Changes when the file is written. */
export function stateOf(path: string): string {
  const { size, mtimeMs } = statSync(join(ROOT, path))
  return `${size} ${mtimeMs}`
}

/** The module that starts the service: of the bundle, or of the sources where one has changed since it was made. */
export function startModule(bundle = BUNDLE): string {
  try {
    const sources: Sources = JSON.parse(readFileSync(join(bundle, 'sources.json'), 'utf8'))
    const is_current = Object.entries(sources).every(([path, state]) => stateOf(path) === state)
    if (is_current) return join(bundle, 'start.js')
  } catch {
    // There is no bundle, or a source was removed.
  }
  return join(import.meta.dirname, 'start.ts')
}
