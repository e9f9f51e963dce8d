/** Jobs in tests, without a worker: the database may be shared with other tests. */
import { randomUUID } from 'node:crypto'
import { JOBS } from '../../src/composition/jobs.ts'
import { contextOf, type StoredAttempt } from '../../src/jobs/attempt.ts'
import { testApp } from './app.ts'
import type { Msp } from './world.ts'

type Waiting = Pick<StoredAttempt, 'data'>

/** Performs the tenant's waiting jobs of the name as a worker does, or as several that hold one at once. */
export async function performJobs(
  { database, tenant_id }: Msp,
  name: string,
  workers = 1,
  attempt = 1,
): Promise<void> {
  const job = JOBS.find((one) => one.name === name)
  if (!job) throw new Error(`There is no job ${name}`)
  const waiting = await database.prisma.$queryRaw<Waiting[]>`
    with taken as (
      delete from pgboss.job
      where name = ${name} and state < 'active' and data -> 'tenancy' ->> 'tenant_id' = ${tenant_id}
      returning data, created_on
    )
    select data from taken order by created_on`
  const { services } = (await testApp()).app
  const perform = async ({ data }: Waiting): Promise<void> => {
    const { signal } = new AbortController()
    const stored = { id: randomUUID(), data, retryCount: attempt - 1, signal } as StoredAttempt
    await job.handler(contextOf(services, undefined as never, job, stored), job.payload.parse(data.payload))
  }
  for (const stored of waiting) await Promise.all(Array.from({ length: workers }, () => perform(stored)))
}
