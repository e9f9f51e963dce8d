/** The service with the adapters of real systems, whose doubles tenants connect. */
import type { Logger } from 'pino'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { admitCallbacks, queuePollsDue } from '../../src/areas/callbacks/jobs.ts'
import { adaptersOf } from '../../src/composition/adapters.ts'
import { JOBS } from '../../src/composition/jobs.ts'
import { createVendorClient } from '../../src/connectors/http/client.ts'
import type { Database } from '../../src/db/database.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import type { Services } from '../../src/gateway/context.ts'
import { contextOf, perform, type StoredAttempt } from '../../src/jobs/attempt.ts'
import { installJobs } from '../../src/jobs/install.ts'
import type { Api } from './api.ts'
import { clock, ENVIRONMENT, type Running, startApp } from './app.ts'
import { cloneDatabase } from './database.ts'
import type { PsaDouble, PsaEvent, SentRequest } from './psa-doubles/double.ts'
import type { Msp } from './world.ts'

export const PUBLIC_URL = 'https://automation.example'

/** The service, which knows itself by another address than the one at which it listens. The caller closes it. */
export async function connectedApp(
  database: Database,
  overrides: Record<string, string> = {},
  log?: Logger,
): Promise<Running> {
  const client = createVendorClient({
    allow_private_addresses: true,
    pause_ms: 1,
    second_ms: 1,
    circuit_ms: 1,
    elapsed: clock.elapsed,
  })
  const variables = { PUBLIC_URL, ALLOW_PRIVATE_ADDRESSES: 'true', ...overrides }
  const running = await startApp(database, variables, log, { adapters: adaptersOf(client) })
  const { close } = running.app
  running.app.close = async (...given) => {
    await close(...given)
    await client.close()
  }
  return running
}

let shared: Promise<Database> | undefined

/**
 * The worker's database of the services with these adapters, with the tables of jobs, for the tests of a file or of a
 * `describe`. It has no connections yet, which are asked for changes. Tests do not close it.
 */
export async function connectedDatabase(): Promise<Database> {
  shared ??= (async () => {
    const database = await cloneDatabase()
    await installJobs(database, ENVIRONMENT, JOBS)
    return database
  })()
  const database = await shared
  await database.prisma.systemConnection.deleteMany()
  return database
}

/** The service on that database, for the tests of a file or of a `describe`. */
export function useConnectedApp(): Running {
  const running = {} as Running
  beforeAll(async () => {
    Object.assign(running, await connectedApp(await connectedDatabase()))
  })
  afterAll(() => running.app.close(0))
  return running
}

/** Connects the tenant to the double, which ends with the test, and registers its webhooks. */
export async function connectDouble<Double extends PsaDouble>(
  { app }: Running,
  api: Api,
  msp: Msp,
  start: () => Promise<Double>,
): Promise<Double> {
  const double = await start()
  onTestFinished(async () => void (await double.close()))
  const answer = await api.call(msp.owner, 'connect_integration', { name: double.name, input: double.draft })
  if (answer.status !== 200) throw new Error(`It was not connected: ${JSON.stringify(answer.error)}`)
  await performDue(app.services, msp)
  return double
}

/** Sends the request to the service. */
export const deliver = (
  { base }: Pick<Running, 'base'>,
  { url, headers, body }: SentRequest,
): Promise<Response> =>
  fetch(url.replace(PUBLIC_URL, base), { method: 'POST', headers, body: new Uint8Array(body) })

/** Sends the event as the PSA does; the statuses of the answers. */
export const tell = (running: Pick<Running, 'base'>, double: PsaDouble, event: PsaEvent): Promise<number[]> =>
  Promise.all(double.send(event).map(async (sent) => (await deliver(running, sent)).status))

interface Taken {
  id: string
  name: string
  data: StoredAttempt['data']
}

async function hasDueJob({ prisma }: Database, tenant_id: string): Promise<boolean> {
  const due = await prisma.$queryRaw<unknown[]>`
    select from pgboss.job
    where state < 'active' and data -> 'tenancy' ->> 'tenant_id' = ${tenant_id}
      and start_after <= greatest(now(), ${clock.now()}::timestamptz) limit 1`
  return due.length > 0
}

/**
 * Does the tenant's jobs whose time has come, and those that they enqueue, until none waits. Rejects if one failed. `attempt`
 * is the number of the attempt that each is, and `pause` stands for the pauses before a system is called again.
 */
export async function performDue(
  services: Services,
  { database, tenant_id }: Msp,
  attempt = 1,
  pause = clock.pause,
): Promise<void> {
  const failures: unknown[] = []
  for (;;) {
    const taken = await database.prisma.$queryRaw<Taken[]>`
      with taken as (
        delete from pgboss.job
        where state < 'active' and data -> 'tenancy' ->> 'tenant_id' = ${tenant_id}
          and start_after <= greatest(now(), ${clock.now()}::timestamptz)
        returning id::text, name, data, created_on
      )
      select id, name, data from taken order by created_on, id`
    if (taken.length === 0) {
      await admitCallbacks.run({
        services,
        now: clock.now(),
        signal: new AbortController().signal,
        log: services.log,
      })
      if (!(await hasDueJob(database, tenant_id))) break
    }
    for (const { id, name, data } of taken) {
      const job = JOBS.find((one) => one.name === name)
      if (!job) throw new Error(`There is no job ${name}`)
      const stored = {
        id,
        data,
        retryCount: attempt - 1,
        signal: new AbortController().signal,
      } as StoredAttempt
      const ctx = contextOf({ ...services, pause }, undefined as never, job, stored)
      ctx.commit = (work) => inTransaction(ctx, 60_000, work)
      await perform(job, ctx, stored).catch((error: unknown) => failures.push(error))
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** Asks the tenant's PSA for what changed, as if the next look were due. */
export async function look(services: Services, msp: Msp, attempt?: number): Promise<void> {
  const { tenant_id, database } = msp
  await database.prisma.psaPoll.updateMany({ where: { tenant_id }, data: { due_at: new Date(0) } })
  const { signal } = new AbortController()
  await queuePollsDue.run({ services, now: clock.now(), signal, log: services.log })
  await performDue(services, msp, attempt)
}
