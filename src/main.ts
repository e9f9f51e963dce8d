/** The process. */
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { BUNDLE, isCurrent, staticFolder } from './process/bundle.ts'

try {
  const bundled = !process.argv.includes('--sources') && isCurrent()
  const { start }: typeof import('./process/start.ts') = await import(
    bundled ? join(BUNDLE, 'start.js') : './process/start.ts'
  )
  await start(process.env, bundled ? staticFolder() : undefined)
  flushCompileCache()
} catch (error) {
  // A plain Error is a message for the person who starts the process. Of any other the stack is printed.
  console.error(error instanceof Error && error.constructor === Error ? error.message : error)
  process.exit(1)
}
