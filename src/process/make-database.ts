/** The making of the embedded database with the demo, by a process of its own. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { ROOT } from './bundle.ts'

/** The argument of `entry.js` that begins such a process. */
export const MAKE_DATABASE = '--make-database'

/** Rejects with the message of that process if it fails. It ends with this one, however this one ends. */
export async function makeDatabaseApart(): Promise<void> {
  const args = [...process.argv.slice(2), MAKE_DATABASE]
  const child = fork(join(ROOT, 'src/entry.js'), args, { execArgv: [] })
  let message: string | undefined
  child.once('message', (told) => {
    message = String(told)
  })
  const [code, signal] = await once(child, 'close')
  if (code !== 0)
    throw new Error(message ?? `The process that makes the database has ended (${signal ?? code}).`)
}
