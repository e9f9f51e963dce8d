/** The progress of a run, as it is stored: each step in a transaction of its own, the last of an attempt with its job. */
import { scoped, sql, tenancyOf } from '../../../db/db.ts'
import { inTransaction, lockTenant } from '../../../db/transaction.ts'
import { enqueue } from '../../../jobs/enqueue.ts'
import type { UnboundJobContext } from '../../../jobs/job.ts'
import { WORK } from './declared.ts'
import { type StoredScript, storedScript } from './examine.ts'
import { end, lockOpen } from './finish.ts'
import { scriptProblem } from './rules/steps.ts'
import type { ScriptRunRow } from './run.ts'
import type { StoringContext } from './store.ts'

export type WorkContext = UnboundJobContext & StoringContext

const STORE_MS = 15_000

/** Stores a step of the run in a transaction of its own. */
const stored = <Result>(ctx: WorkContext, work: (own: WorkContext) => Promise<Result>): Promise<Result> =>
  ctx.inTurn(() => {
    const own = { ...ctx, now: ctx.services.now() }
    return inTransaction(own, STORE_MS, () => work(own))
  })

/** Does the last of an attempt: the job is completed with it. */
export const completed = (ctx: WorkContext, work: () => Promise<unknown>): Promise<void> =>
  ctx.inTurn(() =>
    ctx.commit(async () => {
      ctx.now = ctx.services.now()
      await work()
    }),
  )

export const endRun = (
  ctx: WorkContext,
  run: ScriptRunRow,
  ending: Parameters<typeof end>[2],
): Promise<void> =>
  completed(ctx, async () => {
    const open = await lockOpen(ctx, run)
    if (open) await end(ctx, open, ending)
  })

export const failed = (ctx: WorkContext, run: ScriptRunRow, error_code: string): Promise<void> =>
  endRun(ctx, run, { status: 'FAILED', error_code })

/** Goes on with the run after a pause. */
export const later = (ctx: WorkContext, { id: run_id }: ScriptRunRow, seconds: number): Promise<void> =>
  completed(ctx, () =>
    enqueue(ctx, WORK, { run_id }, { start_after: new Date(ctx.now.getTime() + seconds * 1000) }),
  )

const UNSHOWN = scoped(
  'rmm_scripts.unshown_runs',
  `select 1 as unshown from rmm_script_run r
   where r.tenant_id = $1 and r.environment = $2 and r.device_id = $3::text and r.script_id = $4::text
     and r.id <> $5::text and r.status = 'RUNNING' and r.external_run_id is null limit 1`,
)

/** True if the RMM does not show an earlier run of the script on the device yet. */
export async function hasUnshown(
  ctx: WorkContext,
  { device_id, script_id, id }: ScriptRunRow,
): Promise<boolean> {
  const [unshown] = await sql(ctx, UNSHOWN, [device_id, script_id, id])
  return unshown !== undefined
}

const CLAIM = scoped(
  'rmm_scripts.claim',
  `update rmm_script_run r set status = 'RUNNING', started_at = $4::timestamptz, updated_at = $4::timestamptz
   where r.tenant_id = $1 and r.environment = $2 and r.id = $3`,
)

/**
 * Claims the run: nobody cancels a claimed run. LATER: an earlier run of the script on the device is not shown by the RMM yet, so
 * that the two could not be told apart.
 */
export const claim = (ctx: WorkContext, { id, execution_id, device_id, script_id }: ScriptRunRow) =>
  stored(ctx, async (own): Promise<ScriptRunRow | 'LATER' | null> => {
    await lockTenant(own, `${tenancyOf(own).environment} rmm_scripts.start ${device_id} ${script_id}`)
    const open = await lockOpen(own, { id, execution_id })
    if (open?.run.status !== 'QUEUED') return null
    const { run, execution } = open
    if (execution_id !== null && execution?.status !== 'RUNNING') {
      await end(own, open, { status: 'CANCELLED' })
      return null
    }
    const script = (await storedScript(own, script_id)) as StoredScript
    const problem = scriptProblem(run, script)
    if (problem) {
      await end(own, open, { status: 'FAILED', error_code: problem })
      return null
    }
    if (await hasUnshown(own, run)) return 'LATER'
    await sql(own, CLAIM, [id, own.now])
    return { ...run, status: 'RUNNING', started_at: own.now }
  })

// Another worker may have taken the run over: the first mark is the one that counts.
const MARK = scoped(
  'rmm_scripts.mark',
  `update rmm_script_run r set mark = $4::text
   where r.tenant_id = $1 and r.environment = $2 and r.id = $3 and r.status = 'RUNNING' and r.mark is null
   returning 1 as marked`,
)

const UNMARK = scoped(
  'rmm_scripts.unmark',
  `update rmm_script_run r set mark = null
   where r.tenant_id = $1 and r.environment = $2 and r.id = $3 and r.status = 'RUNNING' and r.sent_at is null`,
)

const SENT = scoped(
  'rmm_scripts.sent',
  `update rmm_script_run r set sent_at = $4::timestamptz where r.tenant_id = $1 and r.environment = $2 and r.id = $3`,
)

const SHOWN = scoped(
  'rmm_scripts.shown',
  `update rmm_script_run r set external_run_id = $4::text, sent_at = coalesce(r.sent_at, $5::timestamptz)
   where r.tenant_id = $1 and r.environment = $2 and r.id = $3`,
)

/** Stores the point before the start; false if another worker has stored one, or the run has ended. */
export async function storeMark(ctx: WorkContext, { id }: ScriptRunRow, mark: string): Promise<boolean> {
  const [marked] = await stored(ctx, (own) => sql(own, MARK, [id, mark]))
  return marked !== undefined
}

/** Stores that the run was certainly not sent. */
export const storeUnsent = (ctx: WorkContext, { id }: ScriptRunRow): Promise<unknown> =>
  stored(ctx, (own) => sql(own, UNMARK, [id]))

/** Stores that the RMM took the start. */
export const storeSent = (ctx: WorkContext, { id }: ScriptRunRow): Promise<unknown> =>
  stored(ctx, (own) => sql(own, SENT, [id, own.now]))

/** Stores by which id the RMM shows the run. */
export const storeShown = (
  ctx: WorkContext,
  { id }: ScriptRunRow,
  external_run_id: string,
): Promise<unknown> => stored(ctx, (own) => sql(own, SHOWN, [id, external_run_id, own.now]))
