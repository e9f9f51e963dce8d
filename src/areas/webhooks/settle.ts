/** Storing the outcomes of attempts: of the deliveries, and in the health of their endpoint. */
import { scoped, sql } from '../../db/db.ts'
import type { MutationContext } from '../../gateway/context.ts'
import type { Made } from './attempt.ts'
import { disable } from './disable.ts'
import { type Health, healthAfter, isTaken, KEPT_ATTEMPTS, settled } from './rules.ts'

/** A delivery that an attempt was made of. `made` is null if the event cannot be sent: it is not kept, or not seen any more. */
export interface Result {
  id: string
  revision: number
  tries: number
  is_test: boolean
  made: Made | null
}

const LOCK = scoped(
  'webhooks.lock_endpoint',
  `select w.last_success_at, w.failing_since, w.failures, w.resumes_at from webhook_endpoint w
   where w.tenant_id = $1 and w.environment = $2 and w.id = $3::text for update`,
)

const TELL = scoped(
  'webhooks.tell_health',
  `update webhook_endpoint w set last_success_at = $4::timestamptz, failing_since = $5::timestamptz, failures = $6::int,
     resumes_at = $7::timestamptz, is_slow = $8::boolean
   where w.tenant_id = $1 and w.environment = $2 and w.id = $3::text`,
)

// A delivery that was ended meanwhile stays as it is, unless the endpoint has taken it after all. One that a caller has sent
// again meanwhile is tried again.
//
// Each delivery is looked up by its id in the order of the ids, which one index has, and changed at its place: whatever the
// statistics say, no other delivery of the tenant is read. The lock of the endpoint keeps the rows where they are.
const SETTLE = scoped(
  'webhooks.settle',
  `with settled as materialized (
     select g.*, s.place, g.revision = s.revision and (s.status = 'PENDING' or g.status = 'SUCCEEDED') as is_heard
     from jsonb_to_recordset($3::jsonb) as g (id text, revision int, tries int, status text, next_attempt_at timestamptz,
       attempt jsonb)
     cross join lateral (
       select d.id, d.ctid as place, d.revision, d.status from webhook_delivery d
       where d.tenant_id = $1 and d.environment = $2 and d.id >= g.id order by d.id limit 1
     ) s where s.id = g.id
   )
   update webhook_delivery d set
     attempts = case when r.attempt is null then d.attempts
       else case when jsonb_array_length(d.attempts) >= ${KEPT_ATTEMPTS} then d.attempts - 0 else d.attempts end || r.attempt end,
     status = case when r.is_heard then r.status::webhook_delivery_status else d.status end,
     next_attempt_at = case when r.is_heard then r.next_attempt_at else d.next_attempt_at end,
     delivered_at = case when r.is_heard and r.status = 'SUCCEEDED' then $4::timestamptz else d.delivered_at end,
     tries = case when r.revision = d.revision then r.tries else d.tries end,
     updated_at = $4::timestamptz
   from settled r
   where d.ctid = any(array(select place from settled)) and d.id = r.id`,
)

/** An endpoint that takes longer to answer is slow. */
const SLOW_MS = 2_000

const UNSENT = { status: 'FAILED', next_attempt_at: null } as const

/**
 * Stores the results of one endpoint, in a transaction. The endpoint is locked before its deliveries, as it is when a caller
 * turns it off. True if the endpoint is slow.
 */
export async function settle(
  ctx: MutationContext,
  endpoint_id: string,
  results: readonly Result[],
  now: Date,
): Promise<boolean> {
  const [health] = await sql<Health>(ctx, LOCK, [endpoint_id])
  const stored = results.map(({ id, revision, tries, is_test, made }) => {
    const after = made
      ? settled(made.outcome, { at: made.ended_at, tries: tries + 1, is_test, chance: Math.random() })
      : UNSENT
    return { id, revision, tries: made ? tries + 1 : tries, attempt: made?.attempt ?? null, ...after }
  })
  await sql(ctx, SETTLE, [JSON.stringify(stored), now])
  const made = results.flatMap((result) => result.made ?? [])
  // A test that fails says nothing of events.
  const told = results.every(({ is_test }) => is_test) ? made.filter(({ outcome }) => isTaken(outcome)) : made
  const is_slow = made.some(({ attempt }) => attempt.duration_ms > SLOW_MS)
  if (!health || told.length === 0) return is_slow
  const outcomes = told.map(({ outcome }) => outcome)
  const { last_success_at, failing_since, failures, resumes_at, disabled_reason } = healthAfter(
    health,
    outcomes,
    now,
  )
  await sql(ctx, TELL, [endpoint_id, last_success_at, failing_since, failures, resumes_at, is_slow])
  if (disabled_reason) await disable(ctx, endpoint_id, disabled_reason)
  return is_slow
}
