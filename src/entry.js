/** The entry. Every version of Node can read this file; it names what is missing to run the others. */
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const is = (path) => existsSync(new URL(path, import.meta.url))

function missing() {
  if (!process.features.typescript) {
    const said = `This is Node ${process.versions.node}, and the service needs Node 24.`
    return is('../node_modules/node/bin/node')
      ? `${said} It is among the installed packages, and npm start uses it.`
      : `${said} npm installs it with the other packages when their install scripts may run: npm ci --ignore-scripts=false`
  }
  if (is('db/generated/client/client.ts')) return null
  return 'The Prisma client has not been generated, which the install scripts do: npm ci --ignore-scripts=false'
}

const reason = missing()
if (reason === null) {
  // In production the log is all that is written.
  if (process.env.NODE_ENV !== 'production' && !process.argv.includes('--make-database'))
    process.stdout.write('Starting the service …\n')
  // Before anything in TypeScript is loaded: one file that is in no cache costs a quarter of a start.
  module.enableCompileCache(
    fileURLToPath(new URL('../node_modules/.cache/automation-service/compile', import.meta.url)),
  )
  await import('./main.ts')
} else {
  console.error(reason)
  process.exitCode = 1
}
