/** What a worker does when something is due, for one tenant: the database may be shared with other tests. */
import { RUN_OCCURRENCE } from '../../src/areas/agents/schedule/occurrence.ts'
import { takeDueSchedules } from '../../src/areas/agents/schedule/schedules.ts'
import { tellOfExpiry } from '../../src/areas/api-keys/expiring.ts'
import { reachThresholds } from '../../src/areas/billing/thresholds.ts'
import { PROCESS_CALLBACK, PROCESS_GROUP } from '../../src/areas/callbacks/processing/job.ts'
import { queueDue, START_ENTRY } from '../../src/areas/scheduled-work/start-due.ts'
import { JOBS } from '../../src/composition/jobs.ts'
import { always, budgeted } from '../../src/connectors/budgeted-port.ts'
import { localPsa } from '../../src/connectors/local/psa.ts'
import { type PortContext, PortUnavailable } from '../../src/connectors/port.ts'
import { PSA, type Psa } from '../../src/connectors/psa.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import type { Services } from '../../src/gateway/context.ts'
import { contextOf, type StoredAttempt } from '../../src/jobs/attempt.ts'
import { clock, testApp } from './app.ts'
import type { Msp } from './world.ts'

interface Options {
  services?: Services
  /** 1 for the first attempt. */
  attempt?: number
}

const servicesOf = async ({ services }: Options): Promise<Services> =>
  services ?? (await testApp()).app.services

const loopContext = (services: Services) => ({
  services,
  now: clock.now(),
  signal: new AbortController().signal,
  log: services.log,
})

/** The tenant's jobs of one queue that wait, in their order. */
const waitingJobs = ({ database, tenant_id }: Msp, name: string) =>
  database.prisma.$queryRaw<{ id: string; data: StoredAttempt['data'] }[]>`
    select id::text, data from pgboss.job
    where name = ${name} and state < 'active' and data -> 'tenancy' ->> 'tenant_id' = ${tenant_id}
    order by start_after, created_on`

/** Performs the tenant's jobs that wait, each in the transaction that completes it. One that fails stays where it is. */
export async function performWaiting(msp: Msp, name: string, options: Options = {}): Promise<number> {
  const job = JOBS.find((one) => one.name === name)
  if (!job) throw new Error(`There is no job ${name}`)
  const services = await servicesOf(options)
  const waiting = await waitingJobs(msp, name)
  for (const { id, data } of waiting) {
    const stored = {
      id,
      data,
      retryCount: (options.attempt ?? 1) - 1,
      signal: new AbortController().signal,
    } as StoredAttempt
    const ctx = contextOf(services, undefined as never, job, stored)
    ctx.commit = (work) => inTransaction(ctx, 60_000, work)
    ctx.inTurn = (work) => work()
    await job.handler(ctx, job.payload.parse(data.payload))
    await msp.database.prisma.$executeRaw`delete from pgboss.job where name = ${name} and id = ${id}::uuid`
  }
  return waiting.length
}

/** Performs the tenant's jobs that wait all at once, each as so many workers that hold it. */
export async function performAtOnce(msp: Msp, name: string, workers = 1): Promise<void> {
  const job = JOBS.find((one) => one.name === name)
  if (!job) throw new Error(`There is no job ${name}`)
  const services = await servicesOf({})
  const waiting = (await waitingJobs(msp, name)).flatMap((one) => Array(workers).fill(one))
  await msp.database.prisma.$executeRaw`
    delete from pgboss.job where name = ${name} and data -> 'tenancy' ->> 'tenant_id' = ${msp.tenant_id}`
  await Promise.all(
    waiting.map(async ({ id, data }: (typeof waiting)[number]) => {
      const stored = { id, data, retryCount: 0, signal: new AbortController().signal } as StoredAttempt
      const ctx = contextOf(services, undefined as never, job, stored)
      ctx.commit = (work) => inTransaction(ctx, 60_000, work)
      await job.handler(ctx, job.payload.parse(data.payload))
    }),
  )
}

/** Queues the tenant's due entries of scheduled work. */
export const queueDueOf = async (
  { tenant_id }: Pick<Msp, 'tenant_id'>,
  options: Options = {},
): Promise<void> => queueDue(loopContext(await servicesOf(options)), { tenant_id })

/** The payloads of the tenant's entries that wait in the queue. */
export const waitingEntries = (msp: Msp) => waitingJobs(msp, START_ENTRY.name)

/** Starts the tenant's due entries of scheduled work. */
export async function startDueOf(msp: Msp, options: Options = {}): Promise<void> {
  await queueDueOf(msp, options)
  await performWaiting(msp, START_ENTRY.name, options)
}

/** Takes the tenant's due occurrences. */
export const takeSchedulesOf = async ({ tenant_id }: Msp, options: Options = {}): Promise<void> =>
  takeDueSchedules(loopContext(await servicesOf(options)), { tenant_id })

/** Tells of the tenant's keys that expire soon. */
export const tellOfExpiryOf = async ({ tenant_id }: Msp, options: Options = {}): Promise<void> =>
  tellOfExpiry(loopContext(await servicesOf(options)), { tenant_id })

/** Tells of the thresholds that the tenant's credits have reached. */
export const reachThresholdsOf = async ({ tenant_id }: Msp, options: Options = {}): Promise<void> =>
  reachThresholds(loopContext(await servicesOf(options)), { tenant_id })

/** The payloads of the tenant's occurrences that wait. */
export const waitingOccurrences = (msp: Msp) => waitingJobs(msp, RUN_OCCURRENCE.name)

/** Performs the tenant's occurrences that wait. One that fails stays where it is. */
export const performOccurrences = (msp: Msp, options: Options = {}): Promise<number> =>
  performWaiting(msp, RUN_OCCURRENCE.name, options)

/** The tenant's callbacks that wait for their job. */
export const waitingCallbacks = (msp: Msp) => waitingJobs(msp, PROCESS_CALLBACK.name)

/** Processes the tenant's callbacks whose jobs wait, however long. One that fails stays where it is. */
export async function processCallbacksOf(msp: Msp, options: Options = {}): Promise<number> {
  const due = await performWaiting(msp, PROCESS_CALLBACK.name, options)
  return due + (await performWaiting(msp, PROCESS_GROUP.name, options))
}

/** The services with a PSA that is another system: what it answers is the local PSA's, but for these calls. */
export async function withPsa(calls: (local: Psa) => Partial<Psa>): Promise<Services> {
  const { services } = (await testApp()).app
  const connect = (ctx: PortContext): Psa => {
    const local = localPsa(ctx)
    return { ...local, ...calls(local) }
  }
  return { ...services, connectors: { ...services.connectors, psa: budgeted(PSA, always(connect)) } }
}

/** The services with a PSA that does not answer these calls. */
export const withoutPsa = (...names: (keyof Psa)[]): Promise<Services> =>
  withPsa(() =>
    Object.fromEntries(names.map((name) => [name, () => Promise.reject(new PortUnavailable('It is away'))])),
  )
