/** The process. */
import { flushCompileCache } from 'node:module'
import { startModule } from './process/bundle.ts'

try {
  const { start }: typeof import('./process/start.ts') = await import(
    process.argv.includes('--sources') ? './process/start.ts' : startModule()
  )
  await start(process.env)
  flushCompileCache()
} catch (error) {
  // A plain Error is a message for the person who starts the process. Of any other the stack is printed.
  console.error(error instanceof Error && error.constructor === Error ? error.message : error)
  process.exit(1)
}
