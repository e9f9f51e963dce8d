import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { JOBS } from '../../src/composition/jobs.ts'
import { jobService, runJob, TENANCY } from './service.ts'

const OLD = new Date('2020-01-01')

async function service() {
  const lines: string[] = []
  const log = pino({ level: 'error' }, { write: (line) => void lines.push(line) })
  const made = await jobService(JOBS, { log })
  onTestFinished(() => made.app.close(1000))
  made.app.work()
  return { ...made, run: (name: string) => runJob(made, JOBS, name), logged: () => lines.join('') }
}

test('the buckets of rate limits that are full are swept, by a process that has met none of them', async () => {
  const { database, run } = await service()
  const bucket = { tokens: 1, burst_tokens: 1, granted: 1 }
  await database.prisma.rateBucket.createMany({
    data: [
      { key: 'service_key:old', ...bucket, refilled_at: OLD },
      { key: 'tenant:new', ...bucket, refilled_at: new Date() },
    ],
  })
  await run('gateway.sweep_rate_limits')
  expect(await database.prisma.rateBucket.findMany({ select: { key: true } })).toEqual([
    { key: 'tenant:new' },
  ])
})

test('the answers that were kept for long enough are swept', async () => {
  const { database, run } = await service()
  const record = { ...TENANCY, credential_id: 'key', operation: 'x', fingerprint: 'x', request_id: 'x' }
  await database.prisma.idempotencyRecord.createMany({
    data: [
      { ...record, key: 'old', created_at: OLD, status: 200 },
      { ...record, key: 'new', created_at: new Date(), status: 200 },
    ],
  })
  await run('gateway.sweep_kept_answers')
  expect(await database.prisma.idempotencyRecord.findMany({ select: { key: true } })).toEqual([
    { key: 'new' },
  ])
})

test('a rollup that differs from its rows is corrected, and logged as an error', async () => {
  const { database, rows, run, logged } = await service()
  const now = new Date()
  const stamps = { created_at: now, updated_at: now }
  await database.prisma.companyLink.create({
    data: { ...TENANCY, ...stamps, system: 'HUDU', external_id: 'one' },
  })
  const total = async () =>
    (await rows<{ sum: number }>('select sum(total) as sum from company_link_count'))[0]?.sum
  const right = await total()
  await rows('update company_link_count set total = total + 7')
  await run('rollups.fold')
  expect(logged()).toBe('')
  await run('rollups.check')
  expect(await total()).toBe(right)
  expect(logged()).toMatch(/"rollup":"company_link_count".*"a rollup was wrong"/)
})
