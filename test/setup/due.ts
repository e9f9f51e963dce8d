/** What a worker does when something is due, for one tenant: the database may be shared with other tests. */
import { takeDueSchedules } from '../../src/areas/agents/schedules.ts'
import { startDue } from '../../src/areas/scheduled-work/start-due.ts'
import { budgetedPsa } from '../../src/connectors/budgeted-psa.ts'
import { localPsa } from '../../src/connectors/local/psa.ts'
import { type Psa, type PsaContext, PsaUnavailable } from '../../src/connectors/psa.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import type { Services } from '../../src/gateway/context.ts'
import { contextOf, type StoredAttempt } from '../../src/jobs/attempt.ts'
import { JOBS } from '../../src/jobs.ts'
import { clock, testApp } from './app.ts'
import type { Msp } from './world.ts'

interface Options {
  services?: Services
  /** Entries that are started at once. */
  at_once?: number
}

const servicesOf = async ({ services }: Options): Promise<Services> =>
  services ?? (await testApp()).app.services

const loopContext = (services: Services) => ({
  services,
  now: clock.now(),
  signal: new AbortController().signal,
  log: services.log,
})

/** Starts the tenant's due entries of scheduled work. */
export const startDueOf = async ({ tenant_id }: Msp, options: Options = {}): Promise<void> =>
  startDue(loopContext(await servicesOf(options)), { tenant_id, at_once: options.at_once ?? 1 })

/** Takes the tenant's due occurrences. */
export const takeSchedulesOf = async ({ tenant_id }: Msp, options: Options = {}): Promise<void> =>
  takeDueSchedules(loopContext(await servicesOf(options)), { tenant_id })

const NAME = 'agents.run_occurrence'

/** The payloads of the tenant's occurrences that wait. */
export const waitingOccurrences = ({ database, tenant_id }: Msp) =>
  database.prisma.$queryRaw<{ id: string; data: StoredAttempt['data'] }[]>`
    select id::text, data from pgboss.job
    where name = ${NAME} and state < 'active' and data -> 'tenancy' ->> 'tenant_id' = ${tenant_id}
    order by created_on`

/** Performs the tenant's occurrences that wait. One that fails stays where it is. */
export async function performOccurrences(msp: Msp, options: Options = {}): Promise<number> {
  const job = JOBS.find(({ name }) => name === NAME)
  if (!job) throw new Error(`There is no job ${NAME}`)
  const services = await servicesOf(options)
  const waiting = await waitingOccurrences(msp)
  for (const { id, data } of waiting) {
    const stored = { id, data, retryCount: 0, signal: new AbortController().signal } as StoredAttempt
    const ctx = contextOf(services, undefined as never, job, stored)
    ctx.commit = (work) => inTransaction(ctx, 60_000, work)
    await job.handler(ctx, job.payload.parse(data.payload))
    await msp.database.prisma.$executeRaw`delete from pgboss.job where name = ${NAME} and id = ${id}::uuid`
  }
  return waiting.length
}

/** The services with a PSA that is another system: what it answers is the local PSA's, but for these calls. */
export async function withPsa(calls: (local: Psa) => Partial<Psa>): Promise<Services> {
  const { services } = (await testApp()).app
  const connect = (ctx: PsaContext): Psa => {
    const local = localPsa(ctx)
    return { ...local, ...calls(local) }
  }
  return { ...services, connectors: { ...services.connectors, psa: budgetedPsa(connect) } }
}

/** The services with a PSA that does not answer these calls. */
export const withoutPsa = (...names: (keyof Psa)[]): Promise<Services> =>
  withPsa(() =>
    Object.fromEntries(names.map((name) => [name, () => Promise.reject(new PsaUnavailable('It is away'))])),
  )
