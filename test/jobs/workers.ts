/** Worker processes, which tests kill. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
export const WORKERS = 3

interface Workers {
  /** Ends one of them at once, whichever, and starts another in its place. Returns the pid of the ended one. */
  replaceOne(): number
  /** Those that run. */
  running(): number
  kill(): void
}

/** Starts workers on the database: `counts` do the job that leaves traces, `kills` the jobs that end their
 * process and that are at work meanwhile, `runs` all of the service's jobs and loops. */
export function startWorkers(
  url: string,
  works: 'counts' | 'kills' | 'runs',
  env: Record<string, string> = {},
  count = WORKERS,
): Workers {
  const start = (): ChildProcess =>
    spawn(join(ROOT, 'node_modules/.bin/node'), [join(ROOT, 'test/jobs/worker-process.ts')], {
      env: { PATH: process.env.PATH, DATABASE_URL: url, ENVIRONMENT: 'test', WORKS: works, ...env },
      stdio: ['ignore', 'ignore', works === 'runs' ? 'ignore' : 'inherit'],
    })
  const workers = Array.from({ length: count }, start)
  return {
    replaceOne() {
      const [worker] = workers.splice(Math.floor(Math.random() * workers.length), 1, start())
      worker?.kill('SIGKILL')
      return worker?.pid ?? 0
    },
    running: () =>
      workers.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null).length,
    kill() {
      for (const worker of workers) worker.kill('SIGKILL')
    },
  }
}
