/** Followers: the work of an area for the events of every feed, each event once and in the order of its feed. */
import type { Tenancy } from '../../db/db.ts'
import { statement } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Services } from '../../gateway/context.ts'
import type { LoopContext } from '../../jobs/loop.ts'
import { type ServiceContext, serviceContext } from '../../jobs/service-context.ts'
import { feedCursor, type NextEvents } from './cursor.ts'

interface Following {
  /** `<area>.follow`. */
  name: string
  /** The table of its cursors. */
  table: string
  /** Does the work for the events, in the transaction that moves the cursor behind them. */
  work(ctx: ServiceContext, events: NextEvents): Promise<void>
}

const TRANSACTION_MS = 30_000

export function feedFollower({ name, table, work }: Following) {
  const cursor = feedCursor(table)
  const behind = statement(
    `events.tenants_behind_${table}`,
    `select c.tenant_id from ${table} c where c.environment = $1 and ${cursor.isBehind('$1')}`,
  )

  /** Does the work for the new events of the tenant. */
  async function followTenant(services: Services, tenancy: Tenancy, signal?: AbortSignal): Promise<void> {
    for (let goes_on = true; goes_on && !signal?.aborted; ) {
      const ctx = serviceContext(services, name, name, tenancy)
      goes_on = await inTransaction(ctx, TRANSACTION_MS, () =>
        cursor.advance(ctx, (events) => work(ctx, events)),
      )
    }
  }

  /** Does the work for the new events of all tenants. A failure for one tenant keeps nothing from the others. */
  async function followEvents({ services, signal, log }: LoopContext): Promise<void> {
    const { database, environment } = services
    const tenants = await database.sql.rows<{ tenant_id: string }>(behind, [environment])
    for (const { tenant_id } of tenants)
      await followTenant(services, { tenant_id, environment }, signal).catch((error) =>
        log.warn({ err: error, tenant_id, follower: name }, 'events were not followed'),
      )
  }

  return { begin: cursor.begin, followTenant, followEvents }
}
