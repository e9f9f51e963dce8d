/** Set-up file of `npm run test:cost`: measures what each file costs its worker, and stores it in the file's meta. */

import { readFileSync } from 'node:fs'
import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { afterAll, inject } from 'vitest'

/** The cost of a file to its worker, in milliseconds. */
export interface FileCost {
  /** Processor time of the worker, the embedded database's with it. */
  own: number
  /** Processor time of processes that the worker started and that have ended. */
  children: number
  /** Time in statements: of the embedded database, or on PostgreSQL in the worker's databases. */
  database: number
  /** Time in which the worker's event loop had nothing to do. */
  waiting: number
  /** Time by what the file needed before its tests, such as `clone`. */
  needs: Record<string, number>
  /** Resident memory of the worker at the end, in bytes. */
  resident: number
}

declare module 'vitest' {
  interface TaskMeta {
    cost?: FileCost
  }
}

/** The time of PGlite in this worker, in milliseconds. This module is loaded for each file, PGlite once. */
const worker = globalThis as { embedded_ms?: number }

function timeEmbedded(): void {
  if (worker.embedded_ms !== undefined) return
  worker.embedded_ms = 0
  const { execProtocolRawSync } = PGlite.prototype
  PGlite.prototype.execProtocolRawSync = function (message) {
    const started = performance.now()
    try {
      return execProtocolRawSync.call(this, message)
    } finally {
      worker.embedded_ms = (worker.embedded_ms ?? 0) + performance.now() - started
    }
  }
}

/** Milliseconds of the statements of all databases that this worker made on the server. */
async function serverTime(): Promise<number> {
  const { server, ...template } = inject('template')
  if (server === null || !('name' in template)) return 0
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    const { rows } = await client.query(
      'select coalesce(sum(active_time), 0)::float8 as ms from pg_stat_database where starts_with(datname, $1)',
      [`${template.name}_w${process.env.VITEST_POOL_ID}_`],
    )
    return rows[0].ms
  } finally {
    await client.end()
  }
}

/** A hundredth of a second is the unit of Linux; other systems have no such file. */
function childrenTime(): number {
  try {
    const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ')
    const [user = 0, system = 0] = fields.split(' ').slice(13, 15).map(Number)
    return (user + system) * 10
  } catch {
    return 0
  }
}

interface Reading {
  cpu: NodeJS.CpuUsage
  loop: EventLoopUtilization
  children: number
  database: number
}

async function read(): Promise<Reading> {
  return {
    database: (worker.embedded_ms ?? 0) + (await serverTime()),
    cpu: process.cpuUsage(),
    loop: performance.eventLoopUtilization(),
    children: childrenTime(),
  }
}

function needs(): FileCost['needs'] {
  const found: FileCost['needs'] = {}
  for (const { name, duration } of performance.getEntriesByType('measure')) {
    found[name] = (found[name] ?? 0) + duration
  }
  return found
}

timeEmbedded()
performance.clearMeasures()
const before = await read()

// biome-ignore lint/correctness/noEmptyPattern: Vitest demands a pattern for the fixtures of a hook.
afterAll(async ({}, { file }) => {
  const after = await read()
  file.meta.cost = {
    own: (after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system) / 1000,
    children: after.children - before.children,
    database: after.database - before.database,
    waiting: after.loop.idle - before.loop.idle,
    needs: needs(),
    resident: process.memoryUsage.rss(),
  }
})
