/** The end of one try at a callback, which hands its slot over. */
import type { Asker } from '../../../connectors/port.ts'
import { inTransaction } from '../../../db/transaction.ts'
import type { UnboundJobContext } from '../../../jobs/job.ts'
import { endTurnOfEntity } from './entity-turns.ts'
import type { Preread } from './read-entity.ts'
import { admit, type ClaimedCallback, lockSlots } from './slots.ts'
import { type Settlement, settle } from './store.ts'

export interface Work {
  ctx: UnboundJobContext & Asker
  callback: ClaimedCallback
  /** Seconds since the work began. */
  spent(): number
  /** The read of the entities of its group; null: each entity is read alone. */
  preread: Promise<Preread | null> | null
}

/** The read of an attempt in the PSA, and the start of the read. */
export type Found = Parameters<typeof endTurnOfEntity>[2]

/** The end of the processing: nothing is read or written after it. */
export async function end(
  { ctx, callback, spent }: Work,
  settlement: Omit<Settlement, 'work_seconds'>,
  found: Found = null,
): Promise<void> {
  ctx.now = ctx.services.now()
  await settle(ctx, callback, { ...settlement, work_seconds: spent() })
  await leave({ ctx, callback }, found)
}

/** Hands the slot over. */
export async function leave({ ctx, callback }: Pick<Work, 'ctx' | 'callback'>, found: Found): Promise<void> {
  await lockSlots(ctx)
  await endTurnOfEntity(ctx, callback, found)
  await admit(ctx, { answered: found !== null })
}

const COMMIT_MS = 60_000

/** Does the work in one transaction. Tenants take turns at connections. */
export const commit = ({ ctx }: Work, work: () => Promise<void>): Promise<void> =>
  ctx.inTurn(async () => {
    ctx.signal.throwIfAborted()
    await inTransaction(ctx, COMMIT_MS, work)
  })

export const filtered = (filter_reason: Settlement['filter_reason']) =>
  ({ status: 'FILTERED_OUT', filter_reason, error: null }) as const

export const PROCESSED = { status: 'PROCESSED', filter_reason: null, error: null } as const

// Contract silent: an event of a PSA that is not connected any more says nothing of an entity with the same id in another.
export const OF_OTHER_PSA = {
  status: 'FILTERED_OUT',
  filter_reason: 'ENTITY_NOT_FOUND',
  error: 'INTEGRATION: The PSA that it came from is not connected any more.',
} as const
