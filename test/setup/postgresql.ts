/** A PostgreSQL of a test's own, which it may stop and start. */
import { execFile } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

const run = promisify(execFile)

const NOBODY = 65_534
/** PostgreSQL does not run as root. */
const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

const folders = [...(process.env.PATH ?? '').split(delimiter), ...globSync('/usr/lib/postgresql/*/bin')]

/** The folder of the programs of PostgreSQL; undefined on a machine without them. */
export const POSTGRESQL_PROGRAMS = folders.find((folder) =>
  ['initdb', 'pg_ctl'].every((name) => existsSync(join(folder, name))),
)

interface Postgresql {
  url: string
  /** `fast` ends every connection and stops in order; `immediate` crashes, so that it recovers when it starts. */
  restart(mode: 'fast' | 'immediate'): Promise<void>
  remove(): Promise<void>
}

/** Makes a cluster with an empty database, and starts it with the settings. */
export async function startPostgresql(own: Record<string, string> = {}): Promise<Postgresql> {
  const folder = await mkdtemp(join(tmpdir(), 'postgresql-'))
  if ('uid' in user) await chown(folder, NOBODY, NOBODY)
  const programs = POSTGRESQL_PROGRAMS ?? ''
  const data = join(folder, 'data')
  const program = (name: string, args: string[]) =>
    run(join(programs, name), ['-D', data, ...args], { ...user, cwd: folder })
  const control = (...args: string[]) => program('pg_ctl', ['-w', '-l', join(folder, 'log'), ...args])
  await program('initdb', [
    '--no-sync',
    '--auth=trust',
    '--username=postgres',
    '--encoding=UTF8',
    '--locale=C',
  ])
  const port = await freePort()
  // A process that crashes loses nothing that it has handed to the system.
  const options = { listen_addresses: '127.0.0.1', fsync: 'off', ...own }
  const settings = Object.entries(options).map(([name, value]) => `-c ${name}=${value}`)
  await control('-o', `-p ${port} -k ${folder} ${settings.join(' ')}`, 'start')
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    restart: async (mode) => void (await control('-m', mode, 'restart')),
    async remove() {
      await control('-m', 'immediate', 'stop')
      await rm(folder, { recursive: true })
    },
  }
}
