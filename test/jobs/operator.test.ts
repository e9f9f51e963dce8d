import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { openDatabase } from '../../src/db/database.ts'
import { listDeadLetters } from '../../src/jobs/dead-letters.ts'
import { enqueue } from '../../src/jobs/enqueue.ts'
import { tenantJob } from '../../src/jobs/job.ts'
import { runProgram } from '../process/service.ts'
import { cloneFolder, cloneUrl } from '../setup/database.ts'
import { until } from '../setup/until.ts'
import { type JobService, jobService, OFTEN, TENANCY } from './service.ts'

const done: string[] = []
let broken = true

const declared = (name: `${string}.${string}`) =>
  tenantJob({
    name,
    payload: z.object({ text: z.string() }),
    retries: 0,
    handler: async (_ctx, { text }) => {
      if (broken) throw Object.assign(new Error('The other side is down'), { secret: 'not to be kept' })
      done.push(text)
    },
  })
const [writes, sends] = [declared('notes.write'), declared('notes.send')]

let folder: string
let env: Record<string, string>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'jobs-'))
  const DATA_DIR = join(folder, 'data')
  const url = await cloneUrl()
  if (url === null) await cloneFolder(DATA_DIR)
  env = { DATA_DIR, ENVIRONMENT: TENANCY.environment, ...(url !== null && { DATABASE_URL: url }) }
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The service; commands open an embedded database only when it is closed. */
async function running<Result>(work: (service: JobService) => Promise<Result>): Promise<Result> {
  const database = await openDatabase({
    database_url: env.DATABASE_URL,
    data_dir: env.DATA_DIR ?? '',
    pool_size: 5,
    timeout_ms: 15_000,
  })
  const service = await jobService([writes, sends], { database, intervals: OFTEN })
  service.app.work()
  try {
    return await work(service)
  } finally {
    await service.app.close(1000)
    await database.close()
  }
}

const jobs = (...args: string[]) => runProgram('src/commands/jobs.ts', env, args)

const failed = async () => JSON.parse((await jobs('list', '--json')).stdout) as Record<string, unknown>[]

test('a job whose last attempt failed waits for the operator, who retries it', async () => {
  await running(async ({ call, database }) => {
    await call(async (ctx) => {
      for (const text of ['one', 'two']) await enqueue(ctx, writes, { text })
      await enqueue(ctx, sends, { text: 'three' })
    })
    await until(async () => (await listDeadLetters(database.sql, TENANCY.environment, null)).length === 3)
  })

  const letters = await failed()
  expect(letters.map(({ job }) => job).sort()).toEqual(['notes.send', 'notes.write', 'notes.write'])
  expect(letters[0]).toMatchObject({ ...TENANCY, attempts: 1, error: 'The other side is down' })
  expect(JSON.stringify(letters)).not.toMatch(/one|two|three|not to be kept/)
  expect((await jobs('list', '--job', 'notes.send')).stdout.trim().split('\n')).toHaveLength(1)

  const [letter] = letters.filter(({ job }) => job === 'notes.write')
  expect(await jobs('retry', String(letter?.id))).toMatchObject({ code: 0, stderr: 'Enqueued again: 1\n' })
  expect(await jobs('retry', 'notes.send')).toMatchObject({ code: 0, stderr: 'Enqueued again: 1\n' })
  expect(await jobs('retry', '--all')).toMatchObject({ code: 0, stderr: 'Enqueued again: 1\n' })
  expect(await failed()).toEqual([])

  broken = false
  await running(() => until(() => done.length === 3))
  expect(done.sort()).toEqual(['one', 'three', 'two'])
}, 120_000)

test.each([[['retry']], [['retry', 'notes.write', '--all']], [['list', 'notes.write']], [['forget']], [[]]])(
  'npm run jobs -- %j says how it is used',
  async (args) => {
    const { code, stderr } = await jobs(...args)
    expect(code).toBe(1)
    expect(stderr).toContain('npm run jobs -- retry <id or job name>')
  },
)

test('an unknown job is not retried', async () => {
  const { code, stderr } = await jobs('retry', 'notes.burn')
  expect([code, stderr]).toEqual([1, 'No job that failed has the id or the name notes.burn.\n'])
})
