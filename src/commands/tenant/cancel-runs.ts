/** Cancels what a tenant's agents do. */
import { cancel } from '../../areas/executions/cancel.ts'
import { liveUntil } from '../../areas/executions/live.ts'
import '../../composition/extension-points.ts'
import { ApiError } from '../../errors/errors.ts'
import { createSender } from '../../jobs/sender.ts'
import { type CommandContext, type Outcome, requireTenant, runRecorded } from './recorded.ts'

interface Options {
  tenant: string
  reason?: string | undefined
}

/**
 * Cancels every execution that has not come to its end, each in a transaction of its own. Those that are accepted
 * meanwhile stay: a suspended tenant has none.
 */
export async function cancelRuns(
  place: CommandContext,
  { tenant: tenant_id, reason }: Options,
): Promise<Outcome> {
  const until = new Date()
  // The workers know how many slots there are: their sweep hands out those that become free.
  const { database, environment } = place
  const engine = { environment, jobs: createSender(database.sql), slots: 0 }
  const find = () =>
    runRecorded(place, tenant_id, async (ctx) => {
      await requireTenant(ctx, tenant_id)
      return await liveUntil(ctx, until)
    })
  let cancelled = 0
  for (let live = await find(); live.length > 0; live = await find())
    for (const execution of live)
      try {
        await runRecorded(place, tenant_id, (ctx) =>
          cancel(
            { ...ctx, services: { ...ctx.services, ...engine } },
            { ...execution, reason: reason ?? null },
          ),
        )
        cancelled++
      } catch (error) {
        const has_ended = error instanceof ApiError && error.code === 'execution_not_cancellable'
        if (!has_ended) throw error
      }
  const result = { tenant_id, environment, cancelled }
  return { result, message: `Cancelled ${cancelled} executions of the tenant ${tenant_id}.` }
}
