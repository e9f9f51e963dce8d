/**
 * Anchors the days of the audit log that are over: the end of each day's chain is written once to the activity log, and to
 * the log of the process, which is the copy outside the database. A day whose end was cut off or written anew afterwards
 * does not fit its anchor.
 */
import { sql } from '../../../db/db.ts'
import { statement } from '../../../db/sql.ts'
import { recordedWrite, writeRecorded } from '../../../gateway/activity.ts'
import { transact } from '../../../gateway/transaction.ts'
import type { Loop, LoopContext } from '../../../jobs/loop.ts'
import { serviceContext } from '../../../jobs/service-context.ts'
import { newId } from '../../../lib/ids.ts'
import { dayOf } from './chain.ts'
import { LOCK_CHAIN } from './close.ts'

/** The action of the activity that holds the end of a day. */
export const ANCHORED = 'audit_log.anchored'

/** The type of its target, whose id is the day. */
export const ANCHORED_TARGET = 'audit_day'

const INTERVAL_MS = 60_000
const AT_ONCE = 100

// Contract silent: a day is anchored ten minutes after its end, when the chain is closed over all of its entries.
export const GRACE_MS = 600_000

/** True for a day `d` of whose entries none waits. */
const IS_COMPLETE = `not exists (
  select from audit_entry e
  where e.tenant_id = d.tenant_id and e.environment = d.environment and e.hash is null and e.occurred_at < d.day + 1)`

interface Day {
  tenant_id: string
  environment: string
  date: string
}

const FIND = statement(
  'audit_log.days_to_anchor',
  `select d.tenant_id, d.environment, d.day::text as date from audit_day d
   where d.anchored_at is null and d.deleted_at is null and d.day < $1::date and d.environment = $2
     and ${IS_COMPLETE}
   order by d.day limit ${AT_ONCE}`,
)

const READ = statement(
  'audit_log.day_to_anchor',
  `select d.entries, d.last_hash from audit_day d
   where d.tenant_id = $1 and d.environment = $2 and d.day = $3::date and d.anchored_at is null and ${IS_COMPLETE}`,
)

const ANCHOR = recordedWrite(
  'audit_log.anchor',
  `update audit_day set anchored_at = $4::timestamptz
   where tenant_id = $1 and environment = $2 and day = $3::date and anchored_at is null returning day`,
)

/** Anchors the day, unless another process has. */
async function anchor({ services, log }: LoopContext, { date: day, ...tenancy }: Day): Promise<void> {
  const ctx = serviceContext(services, 'audit-log.anchor', newId('req'), tenancy)
  await transact(ctx, async () => {
    const [lock] = await sql<{ locked: boolean }>(ctx, LOCK_CHAIN, [])
    const [end] = lock?.locked ? await sql<{ entries: number; last_hash: string }>(ctx, READ, [day]) : []
    if (!end) return
    await writeRecorded(ctx, ANCHOR, [day, ctx.now], {
      action: ANCHORED,
      targets: [{ type: ANCHORED_TARGET, id: day, name: day }],
      after: end,
    })
    // Before the commit: a line too many is better than none.
    log.info({ ...tenancy, day, ...end }, 'a day of the audit log is anchored')
  })
}

/** Anchors every day that is over. A day that cannot be anchored does not keep the others waiting. */
export const anchorDays: Loop = {
  name: 'audit-log.anchor_days',
  interval_ms: INTERVAL_MS,
  async run(ctx) {
    const { services, now, signal } = ctx
    const today = dayOf(new Date(now.getTime() - GRACE_MS))
    const errors: unknown[] = []
    for (let found = AT_ONCE; found === AT_ONCE && errors.length === 0; ) {
      const days = await services.database.sql.rows<Day>(FIND, [today, services.environment])
      found = days.length
      for (const day of days) {
        if (signal.aborted) return
        await anchor(ctx, day).catch((error: unknown) => errors.push(error))
      }
    }
    if (errors.length > 0) throw errors[0]
  },
}
