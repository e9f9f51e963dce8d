/** Every job and every loop of the service runs once, on rows that it is for, and leaves those of other environments. */
import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { JOBS, LOOPS } from '../../src/composition/jobs.ts'
import type { Database } from '../../src/db/database.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { contextOf, perform, type StoredAttempt } from '../../src/jobs/attempt.ts'
import type { Msp } from '../setup/world.ts'
import { COMMS } from './rows/comms.ts'
import { CONNECTIONS } from './rows/connections.ts'
import { DISPATCH } from './rows/dispatch.ts'
import { ESCALATIONS } from './rows/escalations.ts'
import { FEEDBACK } from './rows/feedback.ts'
import { INBOXES } from './rows/inboxes.ts'
import { MAILS } from './rows/mails.ts'
import { RETENTION } from './rows/retention.ts'
import { RMM_SCRIPTS } from './rows/rmm-scripts.ts'
import { LONG_AGO, type Rows } from './rows/rows.ts'
import { WEBHOOKS } from './rows/webhooks.ts'
import { WORK } from './rows/work.ts'
import { type JobService, jobService, TENANCY } from './service.ts'

const ROWS: Record<string, Rows> = {
  ...RETENTION,
  ...WORK,
  ...CONNECTIONS,
  ...WEBHOOKS,
  ...INBOXES,
  ...MAILS,
  ...ESCALATIONS,
  ...DISPATCH,
  ...RMM_SCRIPTS,
  ...COMMS,
  ...FEEDBACK,
}
const OTHER = 'elsewhere'
const log = pino({ level: 'silent' })

let made: JobService
let database: Database

beforeAll(async () => {
  made = await jobService(JOBS, {
    env: {
      ENVIRONMENT: TENANCY.environment,
      PUBLIC_URL: 'https://automation.example',
      ALLOW_PRIVATE_ADDRESSES: 'true',
    },
  })
  database = made.database
  await database.prisma.tenant.create({
    data: {
      id: TENANCY.tenant_id,
      name: 'Jobs',
      psa_type: 'HALO_PSA',
      data_residency: 'EU',
      referral_code: 'j',
      created_at: LONG_AGO,
    },
  })
})
afterAll(() => made.app.close(1000))

const todo = async ({ todo: text }: Rows, environment: string) =>
  (await made.rows(text, [environment])).length

/** Does the work once the rows are stored, in both environments. */
async function works(name: string, work: (payload: unknown) => Promise<unknown>): Promise<void> {
  const rows = ROWS[name]
  if (!rows) throw new Error(`test/jobs/rows has no rows for ${name}`)
  const msp = { ...TENANCY, database } as Msp
  const payload = await rows.store(msp)
  await rows.store({ ...msp, environment: OTHER })
  const before = [await todo(rows, TENANCY.environment), await todo(rows, OTHER)]
  expect(Math.min(...before)).toBeGreaterThan(0)
  await work(payload)
  expect(await todo(rows, TENANCY.environment)).toBe(0)
  expect(await todo(rows, OTHER)).toBe(rows.everywhere ? 0 : before[1])
}

describe('a job does its work', () => {
  test.each(JOBS.map((job) => ({ job, name: job.name })))('$name', async ({ job, name }) => {
    await works(name, async (payload = {}) => {
      const tenancy = job.tenancy === 'tenant' ? TENANCY : null
      const { signal } = new AbortController()
      const stored = { id: randomUUID(), retryCount: 0, signal, data: { tenancy, payload } } as StoredAttempt
      const ctx = contextOf(made.app.services, undefined as never, job, stored)
      ctx.commit = (work) => inTransaction(ctx, 60_000, work)
      await perform(job, ctx, stored)
    })
  })
})

describe('a loop does its work', () => {
  test.each(LOOPS.map((loop) => ({ loop, name: loop.name })))('$name', async ({ loop, name }) => {
    const { services } = made.app
    const signal = new AbortController().signal
    await works(name, () => loop.run({ services, now: new Date(), signal, log }))
  })
})

test('no rows are for a job that is not there', () => {
  const names = [...JOBS, ...LOOPS].map(({ name }) => name)
  expect(Object.keys(ROWS).filter((name) => !names.includes(name as never))).toEqual([])
})
