/** A sync page by page: each page is a job, which stores it and enqueues the next one in one transaction. */
import type { z } from 'zod'
import type { UnavailableKind } from '../../connectors/unavailable.ts'
import { db, ownKey } from '../../db/db.ts'
import { ApiError } from '../../errors/errors.ts'
import { enqueue } from '../../jobs/enqueue.ts'
import type { JobContext, UnboundJobContext } from '../../jobs/job.ts'
import { markPage, type PageMark } from '../../lib/page-marks.ts'
import { connectedSystems, requireIntegration } from '../integrations/index.ts'
import { READ_PAGE } from './declared.ts'
import { judgeUnfinished } from './judge.ts'
import { SYNC, storeProgress } from './queries.ts'
import {
  afterEnd,
  afterPage,
  cutAfter,
  cutAtEnd,
  isOpen,
  isPut,
  type PageOutcome,
  stageToRead,
} from './rules.ts'
import { NOTHING_MISSING, type ReadPage, STAGE_PAGES } from './stages.ts'
import type { SyncRow } from './sync.ts'

type Page = z.output<typeof READ_PAGE.payload>

/** Attempts after the first, over some four minutes. A system that is away longer makes the stage FAILED. */
export const RETRIES = 5

const isOutage = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'upstream_unavailable'

/** The pages of the sync’s stage with this place. */
function pagesOf({ stages }: Pick<SyncRow, 'stages'>, place: number) {
  const stage = stages[place]?.stage
  if (!stage || stage === 'CUSTOMERS') throw new Error(`A sync that has no stage ${place} to read`)
  return STAGE_PAGES[stage]
}

/** The page; or why the system could not be read, if this was the last attempt. */
async function readPage(
  ctx: UnboundJobContext,
  sync: SyncRow,
  { stage, after }: Page,
): Promise<ReadPage | UnavailableKind> {
  try {
    return await pagesOf(sync, stage).read(ctx, sync, after)
  } catch (error) {
    if (!isOutage(error)) throw error
    const reason = (error.details?.reason as UnavailableKind | undefined) ?? 'OUTAGE'
    if (reason !== 'LIMIT' && ctx.attempt <= RETRIES) throw error
    return reason
  }
}

/** The outcome of the page; null: it is to be read again. */
async function storePage(
  ctx: UnboundJobContext,
  sync: SyncRow,
  { stage }: Page,
  page: ReadPage | UnavailableKind,
  mark: PageMark | null,
): Promise<PageOutcome | null> {
  if (typeof page === 'string') return { failed: page }
  // A clock that is behind the one of the request would make what was read look older than the sync.
  const read_at = ctx.now < sync.created_at ? sync.created_at : ctx.now
  const stored = await page.store({ ...ctx, now: read_at })
  if (!stored) return null
  const { counts, refused } = stored
  const is_last = page.next === null
  const has_refused = refused.length > 0 || sync.stages[stage]?.refused !== undefined
  const ends_full = is_last && sync.changed_since === null
  const rows_of_stage = (sync.stages[stage]?.read ?? 0) + counts.read
  const short = ends_full ? cutAtEnd({ rows_read: rows_of_stage, total: page.total }) : null
  // Contract silent: a stage with a row that cannot be stored marks nothing as missing, since that row may have been stored before.
  const is_whole = ends_full && !has_refused && short === null
  // What was stored since the sync was asked for was read by it, or later.
  const marked = is_whole ? await pagesOf(sync, stage).markMissing(ctx, sync) : NOTHING_MISSING
  const rows_read = sync.stages.reduce((sum, { read }) => sum + read, counts.read)
  const most_rows = ctx.services.psa_bounds.sync_rows
  const cut = is_last || page.ids === null ? short : cutAfter({ rows_read, most_rows, mark })
  return { counts, refused, is_last, cut, ...marked }
}

/** Ends the sync, which goes on no more. */
async function endSync(ctx: JobContext, sync: SyncRow, reason: 'DISCONNECTED' | 'ERROR'): Promise<void> {
  await storeProgress(ctx, sync, afterEnd(sync, reason))
  await judgeUnfinished(ctx, sync)
}

/** Ends the sync with a failure of the service itself, if it has not ended. */
export async function giveUpSync(ctx: JobContext, { sync_id }: Pick<Page, 'sync_id'>): Promise<void> {
  const sync = await SYNC.lockIfThere(ctx, sync_id)
  if (sync && isOpen(sync)) await endSync(ctx, sync, 'ERROR')
}

const LATER_MS = 15_000

/** The requests that may be made go to others: the page is read later, and no attempt is counted. */
async function readLater(ctx: JobContext, page: Page): Promise<void> {
  await enqueue(ctx, READ_PAGE, page, { start_after: new Date(ctx.now.getTime() + LATER_MS) })
}

async function readAndStore(ctx: UnboundJobContext, payload: Page): Promise<void> {
  const where = { tenant_id_environment_id: ownKey(ctx, { id: payload.sync_id }) }
  const stored = (await db(ctx).integrationSync.findUnique({ where })) as SyncRow | null
  if (!stored || !isOpen(stored)) return
  const page = await readPage(ctx, stored, payload)
  if (page === 'LIMIT') return await ctx.inTurn(() => ctx.commit(() => readLater(ctx, payload)))
  const { next, ids } = typeof page === 'string' ? { next: null, ids: null } : page
  const mark = next && ids ? markPage(payload.mark, { next, rows: ids }) : null
  await ctx.inTurn(() =>
    ctx.commit(async () => {
      const sync = await SYNC.lockIfThere(ctx, payload.sync_id)
      if (!sync || !isOpen(sync)) return
      if (!isPut(sync) && !(await connectedSystems(ctx)).has(requireIntegration(sync.name).system))
        return await endSync(ctx, sync, 'DISCONNECTED')
      const outcome = await storePage(ctx, sync, payload, page, mark)
      if (!outcome) return void (await enqueue(ctx, READ_PAGE, payload))
      const progress = afterPage(sync, payload.stage, outcome)
      await storeProgress(ctx, sync, progress)
      const stage = stageToRead(progress)
      const goes_on = stage === payload.stage ? { after: next, mark } : { after: null }
      if (stage !== null) await enqueue(ctx, READ_PAGE, { sync_id: sync.id, stage, ...goes_on })
    }),
  )
}

/**
 * Reads one page of a sync, stores it, and goes on. A sync that has been cancelled is left as it is; an error of the service
 * itself ends the sync after the last attempt.
 */
export async function runPage(ctx: UnboundJobContext, payload: Page): Promise<void> {
  try {
    await readAndStore(ctx, payload)
  } catch (error) {
    if (ctx.attempt <= RETRIES || ctx.signal.aborted) throw error
    ctx.log.error({ err: error, sync_id: payload.sync_id }, 'a sync failed')
    await ctx.inTurn(() => ctx.commit(() => giveUpSync(ctx, payload)))
  }
}
