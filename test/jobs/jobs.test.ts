import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { statement } from '../../src/db/sql.ts'
import { enqueue } from '../../src/jobs/enqueue.ts'
import { type Job, type JobContext, systemJob, tenantJob } from '../../src/jobs/job.ts'
import { until } from '../setup/until.ts'
import { type JobService, jobService, OFTEN, TENANCY } from './service.ts'

const Note = z.object({ text: z.string().min(1) })

const WRITE = statement('test.write', 'insert into note values ($1)')
const write = (ctx: JobContext, text: string) => ctx.transaction?.rows(WRITE, [text])

const LOSE = statement(
  'test.lose',
  `update pgboss.job set state = 'retry' where id = $1::uuid and state = 'active'`,
)

async function service(jobs: readonly Job[]): Promise<JobService> {
  const made = await jobService(jobs, { intervals: OFTEN })
  onTestFinished(() => made.app.close(1000))
  await made.database.sql.rows(statement('test.note', 'create table if not exists note (text text)'), [])
  return made
}

const notes = async ({ rows }: JobService) =>
  (await rows<{ text: string }>('select text from note order by text')).map(({ text }) => text)

const states = ({ rows }: JobService) =>
  rows<{ name: string; state: string }>('select name, state::text from pgboss.job order by name')

test('a job runs once its transaction has committed, for the tenant of who enqueued it', async () => {
  const seen: unknown[] = []
  const job = tenantJob({
    name: 'notes.write',
    payload: Note,
    handler: async (ctx, { text }) => {
      const { viewer, attempt, request } = ctx
      seen.push({ tenant_id: viewer?.tenant_id, environment: viewer?.environment, attempt, id: request.id })
      await write(ctx, text)
    },
  })
  const made = await service([job])
  made.app.work()
  const id = await made.call((ctx) => enqueue(ctx, job, { text: 'one' }))
  await until(async () => (await notes(made)).length === 1)
  expect(seen).toEqual([{ ...TENANCY, attempt: 1, id }])
  expect(await states(made)).toContainEqual({ name: 'notes.write', state: 'completed' })
})

test('a job that is enqueued in a transaction that rolls back never was', async () => {
  const job = tenantJob({ name: 'notes.write', payload: Note, handler: async () => {} })
  const made = await service([job])
  const refused = made.call(async (ctx) => {
    await enqueue(ctx, job, { text: 'one' })
    throw new Error('refused')
  })
  await expect(refused).rejects.toThrow('refused')
  expect(await states(made)).toEqual([])
})

test('a job is enqueued in a transaction, with a payload that its schema accepts, or not at all', async () => {
  const job = tenantJob({ name: 'notes.write', payload: Note, handler: async () => {} })
  const made = await service([job])
  await expect(made.call((ctx) => enqueue(ctx, job, { text: '' }))).rejects.toThrow(/at text|too_small/i)
  await expect(
    made.call((ctx) => enqueue({ ...ctx, transaction: null }, job, { text: 'one' })),
  ).rejects.toThrow('enqueued in no transaction')
  await expect(made.call((ctx) => enqueue({ ...ctx, viewer: null }, job, { text: 'one' }))).rejects.toThrow(
    'enqueued for none',
  )
  expect(await states(made)).toEqual([])
})

test('what a failed attempt wrote is rolled back, and the next attempt comes after a pause that doubles', async () => {
  const at: number[] = []
  const job = tenantJob({
    name: 'notes.write',
    payload: Note,
    retries: 3,
    handler: async (ctx, { text }) => {
      at.push(performance.now())
      await write(ctx, text)
      if (ctx.attempt < 3) throw new Error('not yet')
    },
  })
  const made = await service([job])
  made.app.work()
  await made.call((ctx) => enqueue(ctx, job, { text: 'one' }))
  await until(async () => (await notes(made)).length > 0)
  const [first = 0, second = 0, third = 0] = at
  expect(second - first).toBeGreaterThan(900)
  expect(third - second).toBeGreaterThan(1900)
  expect(await notes(made)).toEqual(['one'])
})

test('an attempt that lost its job has no effect', async () => {
  const job = tenantJob({
    name: 'notes.write',
    payload: Note,
    handler: async (ctx, { text }) => {
      await write(ctx, `${text} ${ctx.attempt}`)
      if (ctx.attempt === 1) await ctx.transaction?.rows(LOSE, [ctx.request.id])
    },
  })
  const made = await service([job])
  made.app.work()
  await made.call((ctx) => enqueue(ctx, job, { text: 'attempt' }))
  await until(async () => (await notes(made)).length > 0)
  expect(await notes(made)).toEqual(['attempt 2'])
})

test('a job without a transaction of its own commits its effect with its completion', async () => {
  const job = tenantJob({
    name: 'notes.write',
    payload: Note,
    transaction: false,
    handler: async (ctx, { text }) => {
      expect(ctx.transaction).toBe(null)
      await ctx.commit(async () => {
        await write(ctx, `${text} ${ctx.attempt}`)
      })
      if (ctx.attempt === 1) throw new Error('after its end')
    },
  })
  const made = await service([job])
  made.app.work()
  await made.call((ctx) => enqueue(ctx, job, { text: 'attempt' }))
  await until(async () => (await notes(made)).length > 0)
  // The attempt has failed once the worker has stopped, and what is completed has no other one.
  await made.app.close(10_000)
  expect(await notes(made)).toEqual(['attempt 1'])
  expect(await states(made)).toContainEqual({ name: 'notes.write', state: 'completed' })
})

test('a job enqueues another one, which is there when it has ended', async () => {
  const second = systemJob({
    name: 'notes.second',
    payload: Note,
    handler: async (ctx, { text }) => {
      expect(ctx.viewer).toBe(null)
      await write(ctx, text)
    },
  })
  const first = tenantJob({
    name: 'notes.first',
    payload: Note,
    handler: async (ctx, { text }) => void (await enqueue(ctx, second, { text })),
  })
  const made = await service([first, second])
  made.app.work()
  await made.call((ctx) => enqueue(ctx, first, { text: 'handed on' }))
  await until(async () => (await notes(made)).length > 0)
  expect(await notes(made)).toEqual(['handed on'])
})

test('of one queue a process runs as many jobs at once as are declared', async () => {
  let running = 0
  let most = 0
  const job = tenantJob({
    name: 'notes.write',
    payload: Note,
    concurrency: 3,
    transaction: false,
    handler: async (ctx, { text }) => {
      most = Math.max(most, ++running)
      await until(() => most >= 3)
      await sleep(50)
      running--
      await ctx.commit(async () => void (await write(ctx, text)))
    },
  })
  const made = await service([job])
  await made.call(async (ctx) => {
    for (let number = 0; number < 12; number++) await enqueue(ctx, job, { text: String(number) })
  })
  made.app.work()
  await until(async () => (await notes(made)).length === 12)
  expect(most).toBe(3)
})

test('a job that is enqueued for later runs then', async () => {
  const job = tenantJob({
    name: 'notes.write',
    payload: Note,
    handler: async (ctx, { text }) => void (await write(ctx, text)),
  })
  const made = await service([job])
  made.app.work()
  const start_after = new Date(Date.now() + 700)
  await made.call((ctx) => enqueue(ctx, job, { text: 'later' }, { start_after }))
  await until(async () => (await notes(made)).length > 0)
  expect(Date.now()).toBeGreaterThan(start_after.getTime())
})
