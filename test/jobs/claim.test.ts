/** The choice of the next jobs, on rows: tenants take turns. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { RELEASED } from '../../src/jobs/attempt.ts'
import { type ClaimedJob, claimJobs, type Held } from '../../src/jobs/claim.ts'
import { tenantJob } from '../../src/jobs/job.ts'
import { cloneDatabase } from '../setup/database.ts'
import { type PlanNode, readsOf } from '../setup/plans.ts'
import { statementsOf } from '../setup/statements.ts'
import { type JobService, jobService } from './service.ts'

const QUEUE = 'notes.write'
const job = tenantJob({ name: QUEUE, payload: z.object({}), handler: async () => {} })

let made: JobService

beforeAll(async () => {
  // Nothing has ever analyzed its tables.
  const database = await cloneDatabase()
  made = await jobService([job], { database })
  return async () => {
    await made.app.close(0)
    await database.close()
  }
})
beforeEach(() => made.rows('delete from pgboss.job'))

/** Jobs of a tenant, which have waited for as many seconds, and the ones after it for a little less. */
const add = (tenant_id: string, jobs: number, seconds: number, environment = 'test') =>
  made.rows(
    `insert into pgboss.job (name, data, start_after)
     select '${QUEUE}', jsonb_build_object('tenancy', jsonb_build_object('tenant_id', $1::text, 'environment', $4::text)),
       now() - $3::int * interval '1 second' - interval '1 millisecond' + n * interval '1 microsecond'
     from generate_series(1, $2::int) n`,
    [tenant_id, jobs, seconds, environment],
  )

const claim = (
  free: number,
  { most = 10_000, held = [] as Held[], first = '', takes_suspect = true } = {},
): Promise<ClaimedJob[]> =>
  claimJobs(
    made.database.sql,
    [{ queue: QUEUE, environment: 'test', free, most }],
    held,
    first,
    takes_suspect,
  )

const tenants = (jobs: readonly ClaimedJob[]) => jobs.map(({ data }) => data.tenancy?.tenant_id).toSorted()

const held = (tenant: string, jobs: number): Held => ({ queue: QUEUE, tenant, jobs })

test('a tenant that comes last is chosen before the backlog of the others', async () => {
  await add('busy', 300, 600)
  await add('other', 300, 300)
  await add('new', 1, 0)
  expect(tenants(await claim(3))).toEqual(['busy', 'new', 'other'])
  expect(tenants(await claim(4))).toEqual(['busy', 'busy', 'other', 'other'])
})

test('who has the fewest jobs at work comes next', async () => {
  await add('busy', 10, 600)
  await add('idle', 10, 1)
  expect(tenants(await claim(3, { held: [held('busy', 2)] }))).toEqual(['busy', 'idle', 'idle'])
})

test('no tenant takes the last places, which are for those who come later', async () => {
  for (let n = 0; n < 5; n++) await add('busy', 10, 600)
  const taken = await claim(10)
  expect(taken.length).toBe(8)
  expect(await claim(2, { held: [held('busy', 8)] })).toEqual([])
  await add('new', 1, 0)
  expect(tenants(await claim(2, { held: [held('busy', 8)] }))).toEqual(['new'])
})

test('a tenant has no more of them at once than the job says', async () => {
  await add('busy', 10, 600)
  await add('other', 1, 1)
  expect(tenants(await claim(10, { most: 3, held: [held('busy', 1)] }))).toEqual(['busy', 'busy', 'other'])
})

test('a job that starts later is not chosen, nor one of another environment, nor one twice', async () => {
  await add('later', 1, -60)
  await add('theirs', 1, 60, 'elsewhere')
  await add('ours', 2, 60)
  const both = await Promise.all([claim(5), claim(5)])
  expect(tenants(both.flat())).toEqual(['ours', 'ours'])
  expect(await claim(5)).toEqual([])
})

test('the choice reads the next jobs of each tenant, however many wait, without statistics', async () => {
  await add('busy', 3000, 600)
  await made.rows(
    `insert into pgboss.job (name, data, state, completed_on)
     select '${QUEUE}', '{}', 'completed', now() from generate_series(1, 3000)`,
  )
  await add('new', 2, 0)
  const [sent] = await statementsOf(made.database, () => claim(2), /with recursive places/)
  const explained = await made.rows<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, format json) ${sent?.text}`,
    sent?.values as unknown[],
  )
  const reads = explained.flatMap(({ 'QUERY PLAN': [{ Plan }] }) => readsOf(Plan))
  const rows = reads.filter(({ table }) => table.startsWith('job')).reduce((sum, read) => sum + read.rows, 0)
  expect(rows).toBeGreaterThan(0)
  expect(rows).toBeLessThan(200)
})

describe('a job whose workers were lost', () => {
  const HEARTBEAT = { value: { message: 'job heartbeat timeout' } }

  /** Ends the attempts at all jobs as pg-boss does. */
  const endAll = (output: object) =>
    made.rows("update pgboss.job set state = 'retry', output = $1::jsonb where state = 'active'", [
      JSON.stringify(output),
    ])

  test.each([
    { ends: 'lost each time', outputs: [HEARTBEAT, HEARTBEAT, HEARTBEAT], lost: [0, 1, 2, 3] },
    { ends: 'failed', outputs: [{ message: 'no' }, { message: 'no' }], lost: [0, 0, 0] },
    { ends: 'given back', outputs: [{ message: RELEASED }, { message: RELEASED }], lost: [0, 0, 0] },
    { ends: 'lost, failed, lost', outputs: [HEARTBEAT, { message: 'no' }, HEARTBEAT], lost: [0, 1, 1, 2] },
    { ends: 'lost long ago', outputs: [{ value: { message: 'job timed out' } }], lost: [0, 1] },
  ])('is counted: $ends', async ({ outputs, lost }) => {
    await add('one', 1, 60)
    const seen: number[] = []
    for (const output of outputs) {
      seen.push(...(await claim(1)).map((claimed) => claimed.lost))
      await endAll(output)
    }
    seen.push(...(await claim(1)).map((claimed) => claimed.lost))
    expect(seen).toEqual(lost)
  })

  test('twice is taken beside no other such job, and beside jobs that were not lost', async () => {
    await add('a', 2, 60)
    await add('b', 1, 50)
    for (let times = 0; times < 2; times++) {
      expect(await claim(10)).toHaveLength(3)
      await endAll(HEARTBEAT)
    }
    await add('c', 1, 0)
    expect(tenants(await claim(10))).toEqual(['a', 'c'])
    expect(await claim(10, { takes_suspect: false })).toEqual([])
    expect(tenants(await claim(10))).toEqual(['a'])
    expect(tenants(await claim(10))).toEqual(['b'])
  })

  test('twice does not fill the places of the others', async () => {
    await add('a', 9, 60)
    for (let times = 0; times < 2; times++) {
      expect(await claim(100)).toHaveLength(9)
      await endAll(HEARTBEAT)
    }
    await add('a', 3, 0)
    expect((await claim(4)).filter(({ lost }) => lost > 0)).toHaveLength(1)
    await made.rows("delete from pgboss.job where state = 'active'")
    expect((await claim(4, { takes_suspect: false })).every(({ lost }) => lost === 0)).toBe(true)
    expect((await made.rows("select 1 from pgboss.job where state = 'active'")).length).toBeGreaterThan(1)
  })
})
