/**
 * Waiting for the status of an execution to change. One statement at a time looks for everybody in this process who
 * waits for executions of one tenant and environment; between two of them no connection is held.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type DatabaseContext, scoped, sql, type Tenancy, tenancyOf } from '../../db/db.ts'
import type { Context, Services } from '../../gateway/context.ts'
import { Stopwatch } from '../../lib/stopwatch.ts'

/** The longest time between a change and the answer to a caller who waits for it. */
const INTERVAL_MS = 250

interface Waiter {
  execution_id: string
  /** The status that it waits to end. */
  status: string
  end(): void
}

const STATUSES = scoped(
  'executions.statuses',
  `select execution_id, status::text as status from execution
   where tenant_id = $1 and environment = $2 and execution_id in (select unnest($3::text[]))`,
)

const rooms = new WeakMap<Services, Map<string, Set<Waiter>>>()

/** Reads the executions until nobody waits any longer. An outage ends the waiting; the next read reports it. */
async function watch(
  services: Services,
  viewer: Tenancy,
  waiters: Set<Waiter>,
  closed: () => void,
): Promise<void> {
  const ctx: DatabaseContext = { viewer, services, transaction: null, db_time: new Stopwatch() }
  for (;;) {
    await sleep(INTERVAL_MS)
    // In the same turn of the event loop, so that nobody joins whose execution is not read.
    if (waiters.size === 0) return closed()
    const ids = new Set([...waiters].map(({ execution_id }) => execution_id))
    const rows = await sql<Waiter>(ctx, STATUSES, [[...ids]]).catch(() => [])
    const statuses = new Map(rows.map(({ execution_id, status }) => [execution_id, status]))
    for (const { execution_id, status, end } of waiters)
      if (services.stopping.aborted || statuses.get(execution_id) !== status) end()
  }
}

function join(ctx: Context, waiter: Waiter): Set<Waiter> {
  const { services } = ctx
  const { tenant_id, environment } = tenancyOf(ctx)
  const ofServices = rooms.get(services) ?? new Map<string, Set<Waiter>>()
  rooms.set(services, ofServices)
  const name = JSON.stringify([tenant_id, environment])
  const present = ofServices.get(name)
  if (present) return present.add(waiter)
  const waiters = new Set([waiter])
  ofServices.set(name, waiters)
  void watch(services, { tenant_id, environment }, waiters, () => ofServices.delete(name))
  return waiters
}

/** Resolves once the execution's status is another one, the time is over, the client has gone or the process stops. */
export async function statusChange(
  ctx: Context,
  { execution_id, status }: Omit<Waiter, 'end'>,
  seconds: number,
): Promise<void> {
  const { promise, resolve: end } = Promise.withResolvers<void>()
  const waiter = { execution_id, status, end }
  const timer = setTimeout(end, seconds * 1000)
  const forget = ctx.received.onEnd?.(end)
  const waiters = join(ctx, waiter)
  await promise
  waiters.delete(waiter)
  clearTimeout(timer)
  forget?.()
}
