/** The process. Its modules are loaded after the compile cache is enabled, which makes the next start faster. */
import { enableCompileCache, flushCompileCache } from 'node:module'
import { join } from 'node:path'

// Enabled before any other import. The shared temporary folder is not safe: other users could write code there.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/automation-service/compile'))

try {
  const { readConfig } = await import('./config.ts')
  const config = readConfig(process.env)
  const { start } = await import('./process/start.ts')
  await start(config)
  flushCompileCache()
} catch (error) {
  // A plain Error is a message for the person who starts the process. Of any other the stack is printed.
  console.error(error instanceof Error && error.constructor === Error ? error.message : error)
  process.exit(1)
}
