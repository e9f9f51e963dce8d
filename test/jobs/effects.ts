/** A job that leaves a trace of each attempt, and of its effect. */
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { statement } from '../../src/db/sql.ts'
import { tenantJob } from '../../src/jobs/job.ts'

export const TABLES = [
  'create table attempt (number int, process int, at timestamptz default clock_timestamp())',
  'create table effect (number int)',
]

const ATTEMPT = statement('test.attempt', 'insert into attempt (number, process) values ($1, $2)')
const EFFECT = statement('test.effect', 'insert into effect (number) values ($1)')

/** A job that ends its process. */
export const kill = tenantJob({
  name: 'numbers.kill',
  payload: z.object({ number: z.int() }),
  async handler(ctx, { number }) {
    await ctx.services.database.sql.rows(ATTEMPT, [number, process.pid])
    await sleep(500)
    process.kill(process.pid, 'SIGKILL')
  },
})

/** A job that is at work whenever its process is ended by another job. */
export const countSlowly = tenantJob({
  name: 'numbers.count_slowly',
  payload: z.object({ number: z.int() }),
  async handler(ctx, { number }) {
    await ctx.services.database.sql.rows(ATTEMPT, [number, process.pid])
    await sleep(3000)
    await ctx.transaction?.rows(EFFECT, [number])
  },
})

export const count = tenantJob({
  name: 'numbers.count',
  payload: z.object({ number: z.int() }),
  concurrency: 5,
  async handler(ctx, { number }) {
    await ctx.services.database.sql.rows(ATTEMPT, [number, process.pid])
    await sleep(Math.random() * 100)
    await ctx.transaction?.rows(EFFECT, [number])
    await sleep(Math.random() * 100)
  },
})
