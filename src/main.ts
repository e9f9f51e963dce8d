/** The process: the service, or the one that makes its database. */
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { BUNDLE, isCurrent, staticFolder } from './process/bundle.ts'
import { MAKE_DATABASE } from './process/make-database.ts'

const makes_database = process.argv.includes(MAKE_DATABASE)
// The service has ended.
if (makes_database) process.once('disconnect', () => process.exit(1))

try {
  const bundled = !process.argv.includes('--sources') && isCurrent()
  const { start, makeDemoDatabase }: typeof import('./process/start.ts') = await import(
    bundled ? join(BUNDLE, 'start.js') : './process/start.ts'
  )
  if (makes_database) await makeDemoDatabase(process.env)
  else await start(process.env, bundled ? staticFolder() : undefined)
  flushCompileCache()
  if (makes_database) process.exit()
} catch (error) {
  // A plain Error is a message for the person who starts the process. Of any other the stack is printed.
  const shown = error instanceof Error && error.constructor === Error ? error.message : error
  if (makes_database && typeof shown === 'string') await tellService(shown)
  else console.error(shown)
  process.exit(1)
}

/** The service ends with the message. */
function tellService(message: string): Promise<unknown> {
  return new Promise((told) => process.send?.(message, told))
}
