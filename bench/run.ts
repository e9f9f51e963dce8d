/** `npm run bench`: installs what the benchmark alone needs, then runs it. */
import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'

const here = import.meta.dirname
const installed = `${here}/node_modules/.package-lock.json`
const current =
  existsSync(installed) && statSync(installed).mtimeMs >= statSync(`${here}/package-lock.json`).mtimeMs
if (!current)
  execFileSync('npm', ['ci', '--prefix', here, '--no-audit', '--no-fund'], { stdio: ['ignore', 2, 2] })

await import('./main.ts')
