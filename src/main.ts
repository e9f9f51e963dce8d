/** The process. Its modules are loaded after the compile cache is enabled, which makes the next start faster. */
import { enableCompileCache, flushCompileCache } from 'node:module'
import { join } from 'node:path'

// Before anything else is imported; and not in the shared temporary folder, where other users could put code of theirs.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/automation-service/compile'))

try {
  const { readConfig } = await import('./config.ts')
  const config = readConfig(process.env)
  const { start } = await import('./process/start.ts')
  await start(config)
  flushCompileCache()
} catch (error) {
  // An Error of no particular kind was written for whoever starts the process; the others say where they are from.
  console.error(error instanceof Error && error.constructor === Error ? error.message : error)
  process.exit(1)
}
