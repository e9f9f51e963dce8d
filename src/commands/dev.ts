/**
 * `npm run dev`: the service from its sources, started again at every change. Node's own `--watch` watches files, and
 * not their names: it loses those that an editor replaces when it saves them.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'chokidar'

/** Saving many files at once is one change. */
const QUIET_MS = 100

let service: ChildProcess | undefined
let changed = Promise.withResolvers<void>()
let quiet: NodeJS.Timeout | undefined

const watcher = watch('src', { ignoreInitial: true })
watcher.on('all', () => {
  clearTimeout(quiet)
  quiet = setTimeout(changed.resolve, QUIET_MS)
})
await once(watcher, 'ready')

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (!service) process.exit()
    service.once('exit', (code) => process.exit(code ?? 1))
    service.kill(signal)
  })
}

for (;;) {
  changed = Promise.withResolvers()
  service = spawn(process.execPath, ['src/entry.js', '--sources'], { stdio: 'inherit' })
  const ended = once(service, 'exit').then(() => {
    service = undefined
  })
  await Promise.race([changed.promise, ended])
  if (!service) console.log('The service has ended. It starts again at the next change of a file in src/.')
  await changed.promise
  console.log('A file in src/ has changed: starting the service again …')
  service?.kill('SIGTERM')
  await ended
}
