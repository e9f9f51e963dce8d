/** The service as a process of its own, on a folder and a database of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { inject } from 'vitest'
import { cloneFolder, cloneUrl } from '../setup/database.ts'
import { onceInRun } from '../setup/once-in-run.ts'

const ROOT = join(import.meta.dirname, '../..')
const NODE = join(ROOT, 'node_modules/.bin/node')
const START_MS = 180_000

export type Environment = Record<string, string>

export interface Place {
  env: Environment
  remove(): Promise<void>
}

interface Said {
  stdout: string
  stderr: string
}

/** The end of a process, and its output. */
interface Ended extends Said {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface Service {
  pid: number
  port: number
  base: string
  /** The demo API key it printed. */
  key: string
  stdout: string
  ended: Promise<Ended>
  signal(name: NodeJS.Signals): void
  /** Ends it with the signal. */
  stop(name?: NodeJS.Signals): Promise<Ended>
}

/** Quotas that no test reaches. */
const NO_LIMITS =
  'service_key,service_key_writes,dashboard_user,dashboard_user_writes,tenant,anonymous_ip,failed_credentials_ip'
    .split(',')
    .map((name) => `${name}=1000000`)
    .join(',')

interface PlaceOptions {
  /** Without an embedded database, which the service makes at its first start. */
  empty?: boolean
  /** The variables of another place, whose service is stopped: the new one is a copy of it. */
  like?: Environment
  /** The folder that it is made in. */
  within?: string
}

/** A folder for one service, and the variables by which it works there. To be removed by the caller. */
export async function newPlace({
  empty = false,
  like,
  within = tmpdir(),
}: PlaceOptions = {}): Promise<Place> {
  const folder = await mkdtemp(join(within, 'service-'))
  const data_dir = join(folder, 'data')
  const database_url = await cloneUrl(like?.DATABASE_URL)
  // Over a thousand files, for which promises take four times as long.
  if (like?.DATA_DIR) cpSync(like.DATA_DIR, data_dir, { recursive: true })
  else if (!empty && !database_url) await cloneFolder(data_dir)
  return {
    env: {
      DATA_DIR: data_dir,
      PORT: '0',
      LIMITS: NO_LIMITS,
      ...(database_url && { DATABASE_URL: database_url, DEMO_DATA: 'on' }),
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

async function seeded(): Promise<Environment> {
  const { env } = await newPlace({ empty: true, within: inject('run_folder') })
  await (await startService(env)).stop()
  return env
}

/** A place with the demo, which takes seconds to put in: it is done once in each run, at best in a hook. */
export const demoPlace = async (): Promise<Place> => await newPlace({ like: await onceInRun('demo', seeded) })

interface Run {
  /** The root of another release. */
  root?: string
  /** The user that runs it; only root may choose. */
  uid?: number
  /** Node's own options. */
  flags?: string[]
  /** A file descriptor that its log goes to. */
  stderr?: number
  /** True: it leads a group of processes. */
  detached?: boolean
}

/** Runs one of the project's programs, which gets no variables but these and where compiled modules are. */
const program = (file: string, env: Environment, args: string[] = [], run: Run = {}) =>
  runCommand(NODE, [...(run.flags ?? []), resolve(run.root ?? ROOT, file), ...args], env, run)

function runCommand(command: string, args: string[], env: Environment, run: Run) {
  const { root = ROOT, uid, stderr = 'pipe', detached = false } = run
  const child = spawn(command, args, {
    cwd: root,
    detached,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    ...(uid !== undefined && { uid, gid: uid }),
    stdio: ['ignore', 'pipe', stderr],
  })
  const said = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    said.stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    said.stderr += text
  })
  const ended = new Promise<Ended>((done) => {
    child.once('close', (code, signal) => done({ code, signal, ...said }))
  })
  return { child, said, ended }
}

/** Runs a program to its end. */
export const runProgram = (file: string, env: Environment, args?: string[], run?: Run): Promise<Ended> =>
  program(file, env, args, run).ended

/** Resolves once the service listens; rejects with what it said if it ends instead. */
export const startService = (env: Environment, run?: Run): Promise<Service> =>
  started(program('src/entry.js', env, [], run), env)

/** The same by a script of package.json. The process is npm's. */
export function startScript(script: string, env: Environment): Promise<Service> {
  const npm = { HOME: process.env.HOME ?? '', npm_config_update_notifier: 'false' }
  return started(runCommand('npm', ['run', script], { ...npm, ...env }, { detached: true }), env)
}

/** Ends what is left of a group of processes. */
export function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function started(
  { child, said, ended }: ReturnType<typeof runCommand>,
  env: Environment,
): Promise<Service> {
  const late = setTimeout(() => child.kill('SIGKILL'), START_MS)
  const { port, base } = await listening(child, said, ended, env).finally(() => clearTimeout(late))
  const stop = (name: NodeJS.Signals = 'SIGTERM') => {
    child.kill(name)
    return ended
  }
  return {
    pid: child.pid ?? 0,
    port,
    base,
    key: /svc_sk_\S+/.exec(said.stdout)?.[0].replace(/'$/, '') ?? '',
    stdout: said.stdout,
    ended,
    signal: (name) => child.kill(name),
    stop,
  }
}

async function listening(child: ChildProcess, said: Said, ended: Promise<Ended>, env: Environment) {
  // In production only the log says it.
  const stream = env.NODE_ENV === 'production' ? 'stderr' : 'stdout'
  const address = /(?:at |"base":")(http:\/\/127\.0\.0\.1:(\d+)).*\n/
  const printed = new Promise<void>((done) => {
    child[stream]?.on('data', () => address.test(said[stream]) && done())
  })
  const end = await Promise.race([printed, ended])
  if (end) throw new Error(`The service ended before it listened (${end.code ?? end.signal}): ${end.stderr}`)
  const [, base = '', port] = address.exec(said[stream]) ?? []
  return { base, port: Number(port) }
}

interface Sent {
  method?: string
  body?: unknown
  headers?: Record<string, string>
}

/** One REST call with a credential. */
export async function call(
  service: Pick<Service, 'base'>,
  credential: string,
  path: string,
  sent: Sent = {},
) {
  const response = await fetch(`${service.base}/public-api${path}`, {
    method: sent.method ?? 'GET',
    headers: {
      Authorization: `Bearer ${credential}`,
      ...(sent.body !== undefined && { 'Content-Type': 'application/json' }),
      ...sent.headers,
    },
    ...(sent.body !== undefined && { body: JSON.stringify(sent.body) }),
  })
  const { status, headers } = response
  return { status, headers, body: await response.json() }
}

/** The answer to a client that asks again if the service, or what it asks itself, was too slow. */
export async function patientCall(...asked: Parameters<typeof call>): ReturnType<typeof call> {
  const answer = await call(...asked)
  return answer.status === 503 ? patientCall(...asked) : answer
}

/** A dashboard JWT, as `npm run token` prints it. */
export async function dashboardToken(env: Environment, role: string): Promise<string> {
  const { code, stdout, stderr } = await runProgram('src/commands/token.ts', env, ['--role', role])
  if (code !== 0) throw new Error(stderr)
  return stdout.trim()
}
