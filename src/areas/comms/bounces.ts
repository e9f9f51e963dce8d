/** E-mail addresses that a mail server refused for good. */
import { type DatabaseContext, db } from '../../db/db.ts'
import { insert, insertOf } from '../../db/query/insert.ts'
import { daysBefore } from '../../lib/time.ts'
import { BOUNCE_DAYS, bounceKey } from './rules.ts'

const BOUNCED = insertOf('comms.bounced', 'CommsBounce', {
  columns: ['address', 'at'],
  on_conflict: { key: ['address'], replace: ['at'] },
})

/** Stores that a mail server refused the address. */
export async function storeBounce(ctx: DatabaseContext & { now: Date }, address: string): Promise<void> {
  await insert(ctx, BOUNCED, { address: bounceKey(address), at: ctx.now })
}

/** True if mails to the address are not tried: a mail server refused it in the last 30 days. */
export const hasBounced = async (ctx: DatabaseContext & { now: Date }, address: string): Promise<boolean> =>
  (await db(ctx).commsBounce.count({
    where: { address: bounceKey(address), at: { gt: daysBefore(ctx.now, BOUNCE_DAYS) } },
  })) > 0
