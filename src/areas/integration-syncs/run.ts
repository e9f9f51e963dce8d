/** A sync page by page: each page is a job, which stores it and enqueues the next one in one transaction. */
import type { z } from 'zod'
import { db, ownKey } from '../../db/db.ts'
import { ApiError } from '../../errors/errors.ts'
import { enqueue } from '../../jobs/enqueue.ts'
import type { UnboundJobContext } from '../../jobs/job.ts'
import { connectedSystems, requireIntegration } from '../integrations/index.ts'
import { READ_PAGE } from './declared.ts'
import { lockSync, storeProgress } from './queries.ts'
import { afterDisconnect, afterPage, isOpen, isPut, type PageOutcome, stageToRead } from './rules.ts'
import { type ReadPage, STAGE_PAGES } from './stages.ts'
import type { SyncRow } from './sync.ts'

type Page = z.output<typeof READ_PAGE.payload>

/** Attempts after the first, over some four minutes. A system that is away longer makes the stage FAILED. */
export const RETRIES = 5

const isOutage = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'upstream_unavailable'

/** The pages of the sync’s stage with this place. */
function pagesOf({ stages }: Pick<SyncRow, 'stages'>, place: number) {
  const stage = stages[place]?.stage
  if (!stage || stage === 'CUSTOMERS') throw new Error(`A sync that has no stage ${place} to read`)
  return STAGE_PAGES[stage]
}

/** The page; null if the system cannot be reached, and this was the last attempt. */
async function readPage(
  ctx: UnboundJobContext,
  sync: SyncRow,
  { stage, after }: Page,
): Promise<ReadPage | null> {
  try {
    return await pagesOf(sync, stage).read(ctx, sync, after)
  } catch (error) {
    if (!isOutage(error) || ctx.attempt <= RETRIES) throw error
    return null
  }
}

async function storePage(
  ctx: UnboundJobContext,
  sync: SyncRow,
  { stage }: Page,
  page: ReadPage | null,
): Promise<PageOutcome> {
  if (!page) return { failed: true }
  // A clock that is behind the one of the request would make what was read look older than the sync.
  const read_at = ctx.now < sync.created_at ? sync.created_at : ctx.now
  const counts = await page.store({ ...ctx, now: read_at })
  const is_last = page.next === null
  const is_whole = is_last && sync.changed_since === null
  // What was stored since the sync was asked for was read by it, or later.
  const missing = is_whole ? await pagesOf(sync, stage).markMissing(ctx, sync.created_at) : 0
  return { counts, is_last, missing }
}

/** Reads one page of a sync, stores it, and goes on. A sync that has been cancelled is left as it is. */
export async function runPage(ctx: UnboundJobContext, payload: Page): Promise<void> {
  const where = { tenant_id_environment_id: ownKey(ctx, { id: payload.sync_id }) }
  const stored = (await db(ctx).integrationSync.findUnique({ where })) as SyncRow | null
  if (!stored || !isOpen(stored)) return
  const page = await readPage(ctx, stored, payload)
  await ctx.inTurn(() =>
    ctx.commit(async () => {
      const sync = await lockSync(ctx, payload.sync_id)
      if (!sync || !isOpen(sync)) return
      if (!isPut(sync) && !(await connectedSystems(ctx)).has(requireIntegration(sync.name).system))
        return await storeProgress(ctx, sync, afterDisconnect(sync))
      const progress = afterPage(sync, payload.stage, await storePage(ctx, sync, payload, page))
      await storeProgress(ctx, sync, progress)
      const stage = stageToRead(progress)
      const after = stage === payload.stage ? (page?.next ?? null) : null
      if (stage !== null) await enqueue(ctx, READ_PAGE, { sync_id: sync.id, stage, after })
    }),
  )
}
