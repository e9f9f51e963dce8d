/** Processes that are measured: started, watched, stopped. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Contender {
  name: string
  base: string
  /** What it had said by then. */
  printed: string
  /** Everything that it has logged. */
  logged(): string
  /** CPU seconds that it and its descendants have used. */
  cpu(): number
  /** Megabytes it holds in memory. */
  memory(): number
  stop(): Promise<void>
}

const TICKS = Number(execFileSync('getconf', ['CLK_TCK']).toString())

/** User and system time of one process, in seconds. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}

function childrenOf(pid: number): number[] {
  const direct = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number)
  return direct.flatMap((child) => [child, ...childrenOf(child)])
}

const residentMegabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** The folder for everything that a run leaves behind until it ends. */
export const scratch = mkdtempSync(join(tmpdir(), 'bench-'))
const running = new Set<ChildProcess>()

process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(scratch, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const LOOK_MS = 1

/** What it has said, once its address is there. In production the service says it in its log alone. */
async function printedAddress(child: ChildProcess, log: string, production: boolean): Promise<string> {
  let printed = ''
  child.stdout?.on('data', (chunk) => {
    printed += chunk
  })
  for (;;) {
    const logged = readFileSync(log, 'utf8')
    const said = production ? `${printed}${logged}` : printed
    if (/http:\/\/127\.0\.0\.1:\d+[\s\S]*\n/.test(said)) return said
    if (child.exitCode !== null) throw new Error(`A contender ended early.\n${printed}${logged.slice(-2000)}`)
    await sleep(LOOK_MS)
  }
}

/** Starts a program, of this folder unless its path is absolute, that says its address. Its standard error goes to a file, as logs do in production. */
export async function start(name: string, file: string, env: Record<string, string>): Promise<Contender> {
  const log = join(scratch, `${name.replaceAll(/\W+/g, '-')}.log`)
  const file_descriptor = openSync(log, 'w')
  const child = spawn(process.execPath, [resolve(import.meta.dirname, file)], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', file_descriptor],
  })
  closeSync(file_descriptor)
  running.add(child)
  const printed = await printedAddress(child, log, env.NODE_ENV === 'production')
  const { pid = 0 } = child
  return {
    name,
    base: /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] ?? '',
    printed,
    logged: () => readFileSync(log, 'utf8'),
    cpu: () => [pid, ...childrenOf(pid)].reduce((sum, one) => sum + cpuSeconds(one), 0),
    memory: () => residentMegabytes(pid),
    async stop() {
      running.delete(child)
      if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`)
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}
