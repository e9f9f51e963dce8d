/** Runs of executions in tests, without a worker: the database may be shared with other tests. */
import { randomUUID } from 'node:crypto'
import { sweepExecutions } from '../../src/areas/executions/jobs.ts'
import { JOBS } from '../../src/composition/jobs.ts'
import type { Services } from '../../src/gateway/context.ts'
import { contextOf, type StoredAttempt } from '../../src/jobs/attempt.ts'
import type { UnboundJobContext } from '../../src/jobs/job.ts'
import { clock, testApp } from './app.ts'
import type { Msp } from './world.ts'

type Waiting = Pick<StoredAttempt, 'data'>

type Tenant = Pick<Msp, 'tenant_id' | 'database'>

const JOB = 'executions.run'

/** Takes the tenant's run jobs that wait, and whose time has come by the test's clock, out of the queue: the oldest first. */
export const takeRunJobs = ({ database, tenant_id }: Tenant): Promise<Waiting[]> =>
  database.prisma.$queryRaw<Waiting[]>`
    with taken as (
      delete from pgboss.job
      where name = ${JOB} and state < 'active' and data -> 'tenancy' ->> 'tenant_id' = ${tenant_id}
        and start_after <= greatest(now(), ${clock.now()}::timestamptz)
      returning data, created_on
    )
    select data from taken order by created_on`

interface Performing {
  services?: Services
  /** Aborted when the process of the worker would stop. */
  signal?: AbortSignal
  attempt?: number
  id?: string
}

/** Performs a run job in this process, as a worker does. */
export async function performRun(
  { data }: Waiting,
  { services, signal = new AbortController().signal, attempt = 1, id = randomUUID() }: Performing = {},
): Promise<void> {
  const job = JOBS.find(({ name }) => name === JOB)
  if (!job) throw new Error('There is no job that runs executions')
  const stored = { id, data, retryCount: attempt - 1, signal } as StoredAttempt
  const its = services ?? (await testApp()).app.services
  const ctx = contextOf({ ...its, pause: clock.pause }, undefined as never, job, stored)
  await job.handler(ctx, job.payload.parse(data.payload))
}

/** Performs the tenant's waiting run jobs, those that they enqueue too, until none waits. Returns their number. */
export async function performRuns(msp: Tenant, performing: Performing = {}): Promise<number> {
  let performed = 0
  for (;;) {
    const jobs = await takeRunJobs(msp)
    if (jobs.length === 0) return performed
    for (const job of jobs) await performRun(job, performing)
    performed += jobs.length
  }
}

/** Looks for executions whose job was lost, of every tenant. */
export async function sweep(): Promise<void> {
  const { services } = (await testApp()).app
  const request = { id: 'sweep', ip: null, user_agent: null }
  const ctx = { services, request, now: clock.now(), log: services.log } as UnboundJobContext
  await sweepExecutions.handler(ctx, {})
}

const SETTLED_MS = 61_000

/** As if the tenant's executions had not changed for longer than a job is on its way. */
export const settle = ({ database, tenant_id }: Tenant) =>
  database.prisma.execution.updateMany({
    where: { tenant_id },
    data: { updated_at: new Date(clock.now().getTime() - SETTLED_MS) },
  })
