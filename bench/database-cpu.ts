/** What the sessions of a database cost, if its server runs on this machine. */
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { cpuSeconds } from './contender.ts'

export interface DatabaseCpu {
  /** Seconds of CPU that its sessions have used since they were first seen; null: the server is elsewhere. */
  seconds(): Promise<number | null>
  close(): Promise<void>
}

const isLocalBackend = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres')
  } catch {
    return false
  }
}

export async function watchDatabase(url: string): Promise<DatabaseCpu> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const local = isLocalBackend(rows[0]?.pid ?? 0)
  // Sessions that have ended count with what they had used when they were last seen.
  const used = new Map<number, number>()
  return {
    async seconds() {
      if (!local) return null
      const sessions = await client.query<{ pid: number }>(
        'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      )
      for (const { pid } of sessions.rows) {
        try {
          used.set(pid, cpuSeconds(pid))
        } catch {
          // It has ended since.
        }
      }
      return [...used.values()].reduce((sum, seconds) => sum + seconds, 0)
    },
    close: () => client.end(),
  }
}
