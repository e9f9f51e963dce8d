/** Processes the callbacks that were admitted together. */
import type { z } from 'zod'
import type { Asker } from '../../../connectors/port.ts'
import { psaOf } from '../../../connectors/psa.ts'
import { inTransaction } from '../../../db/transaction.ts'
import type { JobContext, UnboundJobContext } from '../../../jobs/job.ts'
import { endTurnOfEntity } from './entity-turns.ts'
import type { Group, PROCESS_CALLBACK } from './job.ts'
import { FAILED, isPaused, processOne, refusalOf } from './process.ts'
import { isAway } from './put-off.ts'
import { type Preread, prereadOf } from './read-entity.ts'
import { admit, type ClaimedCallback, enter, heldCallbacks, lockSlots, takeUnturned } from './slots.ts'
import { settle } from './store.ts'

/** The entities of the callbacks; null if the PSA does not answer for all of them: each is read by itself then. */
async function prereadTogether(
  ctx: UnboundJobContext & Asker,
  callbacks: readonly ClaimedCallback[],
): Promise<Preread | null> {
  try {
    return await prereadOf(ctx, psaOf({ ...ctx, fresh: true }), callbacks)
  } catch (error) {
    if (isAway(error)) return null
    throw error
  }
}

/**
 * Processes each of the callbacks exactly once: one that has ended is not processed again. A group that is processed twice, or whose
 * worker is lost, does what is left. Requests that were taken for it and not made are given back.
 */
async function processTogether(
  ctx: UnboundJobContext,
  callback_ids: readonly string[],
  taken: Group['prepaid'],
): Promise<void> {
  const prepaid = { requests: taken?.requests ?? 0 }
  const asking = { ...ctx, pace: 'CALLBACK' as const, prepaid }
  try {
    const callbacks = await heldCallbacks(ctx, callback_ids)
    if (callbacks.length === 0) return
    const refusal = await refusalOf(ctx)
    const present = callbacks.filter(({ is_of_present }) => is_of_present)
    const is_read = present.length > 1 && !isPaused(refusal)
    const preread = is_read ? prereadTogether(asking, present) : null
    const began = performance.now()
    const spent = () => Math.round(performance.now() - began) / 1000
    const all = await Promise.allSettled(
      callbacks.map((callback) => processOne({ ctx: { ...asking }, callback, spent, preread }, refusal)),
    )
    const failed = all.find(({ status }) => status === 'rejected')
    if (failed) throw (failed as PromiseRejectedResult).reason
  } finally {
    if (taken && ctx.viewer) {
      const owner = { system: taken.system, tenant_id: ctx.viewer.tenant_id }
      ctx.services.vendor_budget.giveBack(owner, prepaid.requests)
    }
  }
}

/** Processes callbacks that were admitted together. What a lost worker has made of the requests for them is unknown. */
export const processGroup = (ctx: UnboundJobContext, { callback_ids, prepaid }: Group): Promise<void> =>
  processTogether(ctx, callback_ids, ctx.taken === 1 ? prepaid : null)

const ENTER_MS = 10_000

/** Takes a callback that is due to its turn, and processes it if the turn has come. */
export async function processCallback(
  ctx: UnboundJobContext,
  { callback_id }: z.output<typeof PROCESS_CALLBACK.payload>,
): Promise<void> {
  const group = await inTransaction(ctx, ENTER_MS, () => enter(ctx, callback_id))
  if (group) await processTogether(ctx, group.callback_ids, group.prepaid)
}

/** Ends the callbacks whose job is given up. */
async function giveUp(ctx: JobContext, callback_ids: readonly string[]): Promise<void> {
  await lockSlots(ctx)
  for (const callback of await heldCallbacks(ctx, callback_ids)) {
    await settle(ctx, callback, { ...FAILED, work_seconds: 0 })
    await endTurnOfEntity(ctx, callback, null)
  }
  await admit(ctx)
}

export async function giveUpCallback(
  ctx: JobContext,
  { callback_id }: z.output<typeof PROCESS_CALLBACK.payload>,
): Promise<void> {
  await takeUnturned(ctx, callback_id)
  await giveUp(ctx, [callback_id])
}

export const giveUpGroup = (ctx: JobContext, { callback_ids }: Group): Promise<void> =>
  giveUp(ctx, callback_ids)
