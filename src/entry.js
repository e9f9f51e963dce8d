/** The entry. Every version of Node can read this file. */
import './installed.js'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

// In production the log is all that is written.
if (process.env.NODE_ENV !== 'production' && !process.argv.includes('--make-database'))
  process.stdout.write('Starting the service …\n')
// Before anything in TypeScript is loaded: one file that is in no cache costs a quarter of a start.
module.enableCompileCache(
  fileURLToPath(new URL('../node_modules/.cache/automation-service/compile', import.meta.url)),
)
await import('./main.ts')
