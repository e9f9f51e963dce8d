/** Processes of several environments on one database: each does its own work alone. */
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import type { Database } from '../../src/db/database.ts'
import { enqueue } from '../../src/jobs/enqueue.ts'
import { installJobs } from '../../src/jobs/install.ts'
import { type Job, systemJob, tenantJob } from '../../src/jobs/job.ts'
import { until } from '../setup/until.ts'
import { jobService, TENANCY } from './service.ts'

const OTHER = 'elsewhere'

/** A process of the environment, and the jobs that it has done. */
async function processOf(environment: string, database?: Database) {
  const done: string[] = []
  const tenants: Job = tenantJob({
    name: 'notes.write',
    payload: z.object({ text: z.string() }),
    handler: async (_ctx, { text }) => void done.push(text),
  })
  const cron: Job = systemJob({
    name: 'notes.sweep',
    payload: z.object({}),
    schedule: '0 0 1 1 *',
    handler: async () => void done.push('sweep'),
  })
  const jobs = [tenants, cron]
  const made = await jobService(jobs, { env: { ENVIRONMENT: environment }, ...(database && { database }) })
  await installJobs(made.database, environment, jobs)
  onTestFinished(() => made.app.close(1000))
  const viewer = {
    kind: { type: 'SYSTEM' },
    id: 't',
    name: 'T',
    tenant_id: TENANCY.tenant_id,
    environment,
  } as const
  const send = (job: Job, payload: object) => made.call((ctx) => enqueue({ ...ctx, viewer }, job, payload))
  return { ...made, done, tenants, cron, send }
}

test('a process leaves the jobs of another environment, and its schedules, to processes of that one', async () => {
  const here = await processOf(TENANCY.environment)
  const there = await processOf(OTHER, here.database)
  await there.send(there.tenants, { text: 'theirs' })
  await there.send(there.cron, {})
  await here.send(here.tenants, { text: 'ours' })
  await here.send(here.cron, {})
  here.app.work()
  await until(() => here.done.length === 2)
  // Another look has found nothing when a job that came later is done.
  await here.send(here.tenants, { text: 'later' })
  await until(() => here.done.length === 3)
  expect(here.done.toSorted()).toEqual(['later', 'ours', 'sweep'])
  there.app.work()
  await until(() => there.done.length === 2)
  expect(there.done.toSorted()).toEqual(['sweep', 'theirs'])
  const schedules = await here.rows<{ name: string }>('select name from pgboss.schedule order by name')
  expect(schedules.map(({ name }) => name)).toEqual([`${OTHER}/notes.sweep`, 'test/notes.sweep'])
})

test('jobs that an earlier release enqueued are done, in their environment', async () => {
  const here = await processOf(TENANCY.environment)
  const { tenant_id } = TENANCY
  for (const environment of [TENANCY.environment, OTHER]) {
    const data = { tenancy: { tenant_id, environment }, payload: { text: environment } }
    await here.rows("insert into pgboss.job (name, data) values ('notes.write', $1::jsonb)", [
      JSON.stringify(data),
    ])
  }
  here.app.work()
  await until(() => here.done.length === 1)
  expect(here.done).toEqual([TENANCY.environment])
})
