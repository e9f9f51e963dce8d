/** The exact limit on end users' reads of their tickets: a sliding log in the database, counted over all processes. */
import { type Sql, statement } from '../../db/sql.ts'
import { type CallLog, decisionByLog } from '../limits/call-log.ts'
import { limitOf, type RateLimitStatus } from '../limits/state.ts'
import type { EndUserViewer } from './end-user-jwt.ts'

/** 30 requests a minute per user. */
export const TICKET_READS = limitOf('end-user-tickets', {
  name: 'end_user_tickets',
  quota: 30,
  window_seconds: 60,
})

// Contract silent: a refused call does not count. One of a process whose clock is ahead counts as made now.
// The row is locked by the update, which sees its latest version: each call counts those before it.
const COUNT = statement(
  'chat_tab_calls.count',
  `insert into chat_tab_calls as kept (environment, workplace_tenant_id, workplace_user_id, calls, allowed, last_at)
   values ($1::text, $2::text, $3::text, array[$4::timestamptz], true, $4::timestamptz)
   on conflict (environment, workplace_tenant_id, workplace_user_id) do update
     set (calls, allowed) = (
         select case when count(*) < ${TICKET_READS.quota}
             then array_agg(least(call, $4::timestamptz) order by call) || $4::timestamptz
             else array_agg(least(call, $4::timestamptz) order by call) end,
           count(*) < ${TICKET_READS.quota}
         from unnest(kept.calls) as call
         where call > $4::timestamptz - interval '${TICKET_READS.window_seconds} seconds'
       ),
       last_at = greatest(kept.last_at, $4::timestamptz)
   returning allowed, cardinality(calls) as count, calls[1] as oldest, calls[cardinality(calls)] as newest`,
)

/** Counts a call of the end user, and decides on it. */
export async function countTicketRead(
  sql: Sql,
  { environment, workplace_tenant_id, workplace_user_id }: EndUserViewer,
  now: Date,
): Promise<RateLimitStatus> {
  const values = [environment, workplace_tenant_id, workplace_user_id, now]
  const [log] = await sql.rows<CallLog>(COUNT, values)
  if (!log) throw new Error('An upsert without a row')
  return { limit: TICKET_READS, scope: 'USER', decision: decisionByLog(TICKET_READS, log, now) }
}

const SWEEP_ROWS = 10_000

// Rows that a call has locked are skipped: the next sweep deletes them.
const SWEEP = statement(
  'chat_tab_calls.sweep',
  `delete from chat_tab_calls as kept using (
     select environment, workplace_tenant_id, workplace_user_id from chat_tab_calls
     where environment = $2 and last_at <= $1::timestamptz
     order by last_at limit ${SWEEP_ROWS} for update skip locked
   ) as old
   where (kept.environment, kept.workplace_tenant_id, kept.workplace_user_id)
     = (old.environment, old.workplace_tenant_id, old.workplace_user_id)
   returning 1 as deleted`,
)

/** Deletes the logs in which no call counts any more. */
export async function sweepTicketReads(sql: Sql, now: Date, environment: string): Promise<void> {
  const before = new Date(now.getTime() - TICKET_READS.window_seconds * 1000)
  for (let deleted = SWEEP_ROWS; deleted === SWEEP_ROWS; )
    deleted = (await sql.rows(SWEEP, [before, environment])).length
}
