/** Processes that are measured: started, asked, and watched. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

export interface Contender {
  name: string
  base: string
  /** CPU seconds the process has used. */
  cpu(): number
  stop(): void
}

const TICKS = Number(execFileSync('getconf', ['CLK_TCK']).toString())

/** User and system time of one process. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}

const backends = new Map<string, number>()

/** CPU seconds of the database server where it runs on this machine, sessions that have ended included; 0 elsewhere. */
export function databaseCpu(): number {
  const pids = execFileSync('sh', ['-c', 'pgrep -x postgres || true']).toString().split('\n').filter(Boolean)
  for (const pid of pids) {
    try {
      backends.set(pid, cpuSeconds(Number(pid)))
    } catch {
      // It ended since it was listed; what it used until then is known.
    }
  }
  return [...backends.values()].reduce((sum, seconds) => sum + seconds, 0)
}

async function addressIn(child: ChildProcess): Promise<string> {
  return await new Promise((done, fail) => {
    let text = ''
    child.stdout?.on('data', (chunk) => {
      text += chunk
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0]
      if (address) done(address)
    })
    child.once('exit', (code) => fail(new Error(`A contender ended with ${code}: ${text}`)))
  })
}

/** Starts a process that prints its address. */
export async function start(name: string, file: string, env: Record<string, string>): Promise<Contender> {
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const base = await addressIn(child)
  child.stdout?.resume()
  child.stdout?.removeAllListeners('data')
  child.stdout?.on('data', () => {})
  const { pid = 0 } = child
  return { name, base, cpu: () => cpuSeconds(pid), stop: () => child.kill('SIGTERM') }
}
