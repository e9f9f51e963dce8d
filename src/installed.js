/**
 * Ends the process with what to do, if the install scripts have not run: the scripts of package.json begin with this.
 * Every version of Node can read this file.
 */
import { existsSync } from 'node:fs'

const INSTALL = 'npm ci --ignore-scripts=false'
const is = (path) => existsSync(new URL(path, import.meta.url))

function missing() {
  if (!process.features.typescript) {
    const said = `This is Node ${process.versions.node}, and the service needs Node 24.`
    return is('../node_modules/node/bin/node')
      ? `${said} It is among the installed packages, and the scripts of package.json use it: npm run.`
      : `${said} npm installs it with the other packages when their install scripts may run: ${INSTALL}`
  }
  if (is('db/generated/client/client.ts') || process.argv.includes('--without-client')) return null
  return `The Prisma client has not been generated: npm run generate. The install scripts do that and more: ${INSTALL}`
}

const reason = missing()
if (reason !== null) {
  console.error(reason)
  process.exit(1)
}
