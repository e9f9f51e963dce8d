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

/** True if the bundle was made of the sources as they are. */
export function isCurrent(bundle = BUNDLE): boolean {
  try {
    const sources: Sources = JSON.parse(readFileSync(join(bundle, 'sources.json'), 'utf8'))
    return Object.entries(sources).every(([path, state]) => stateOf(path) === state)
  } catch {
    // There is no bundle, or a source was removed.
    return false
  }
}

/** The folder of the static files that go with the bundle. */
export const staticFolder = (bundle = BUNDLE): string => join(bundle, 'static')
