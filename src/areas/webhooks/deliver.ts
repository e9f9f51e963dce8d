/** The job that sends to an endpoint what is due. */
import { scoped, sql } from '../../db/db.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { UnboundJobContext } from '../../jobs/job.ts'
import { type EventRow, eventBody, eventsFor } from '../events/index.ts'
import { attempt, type Receiver, receiverOf } from './attempt.ts'
import { disable } from './disable.ts'
import { OWNED, OWNER, type Owned, ownerOf } from './owner.ts'
import { enqueueDue, JOB_MS, release } from './queue.ts'
import { AT_ONCE, placesOf } from './rules.ts'
import type { StoredSecrets } from './secrets.ts'
import { type Result, settle } from './settle.ts'

interface Due {
  delivery_id: string
  event_id: string
  tries: number
  revision: number
  test_event: string | null
}

interface Endpoint extends StoredSecrets, Owned {
  id: string
  url: string
  failures: number
  last_success_at: Date | null
  is_slow: boolean
}

/** An endpoint with a delivery that is due; with none if nothing is. */
type TakenRow = Endpoint & (Due | { delivery_id: null })

const TAKE = scoped(
  'webhooks.take',
  `with endpoint as (
     update webhook_endpoint w set job_id = $4::text, job_until = $6::timestamptz
     where w.tenant_id = $1 and w.environment = $2 and w.id = $3::text and w.status = 'ENABLED'
       and (w.job_id is null or w.job_id = $4::text or w.job_until < $5::timestamptz)
       and (w.resumes_at is null or w.resumes_at <= $5::timestamptz)
     returning w.*
   )
   select w.id, w.url, w.secret, w.previous_secret, w.secret_rotated_at, w.failures, w.last_success_at, w.is_slow, ${OWNED},
     d.id as delivery_id, d.event_id, d.tries, d.revision, d.test_event
   from endpoint w ${OWNER} left join lateral (
     select d.id, d.event_id, d.tries, d.revision, d.test_event from webhook_delivery d
     where d.tenant_id = $1 and d.environment = $2 and d.endpoint_id = w.id and d.status = 'PENDING'
       and d.next_attempt_at <= $5::timestamptz
     order by d.next_attempt_at limit ${AT_ONCE}
   ) d on true`,
)

const SETTLE_MS = 10_000

/** Sends the next deliveries that are due, at once. False: nothing is due, or the endpoint takes nothing now. */
async function sendNext(ctx: UnboundJobContext, endpoint_id: string): Promise<boolean> {
  const { services, request } = ctx
  const now = services.now()
  const until = new Date(now.getTime() + JOB_MS)
  const taken = await sql<TakenRow>(ctx, TAKE, [endpoint_id, request.id, now, until])
  const [endpoint] = taken
  if (!endpoint) return false
  const owner = ownerOf(endpoint)
  if (!owner) {
    await inTransaction(ctx, SETTLE_MS, () => disable(ctx, endpoint_id, 'OWNER_REMOVED'))
    return false
  }
  const due = taken.flatMap((row) => (row.delivery_id === null ? [] : [row])).slice(0, placesOf(endpoint))
  if (due.length === 0) return false
  const events = await eventsFor(
    { ...ctx, now },
    owner,
    due.map(({ event_id }) => event_id),
  )
  const receiver = receiverOf(ctx, endpoint)
  const sending = due.map((delivery) => send(ctx, receiver, delivery, events.get(delivery.event_id)))
  const results = await Promise.all(sending)
  const is_slow = await inTransaction(ctx, SETTLE_MS, () => settle(ctx, endpoint_id, results, services.now()))
  await ctx.forgetLost()
  // The jobs of slow endpoints have places of their own.
  return is_slow === endpoint.is_slow
}

/** Sends the event of a delivery, if its owner sees it still. */
async function send(
  ctx: UnboundJobContext,
  receiver: Receiver,
  { delivery_id: id, event_id, tries, revision, test_event }: Due,
  event: EventRow | undefined,
): Promise<Result> {
  const body = test_event ?? (event && eventBody(event))
  const made = body === undefined ? null : await attempt(ctx, receiver, event_id, body)
  return { id, revision, tries, is_test: test_event !== null, made }
}

/** Milliseconds after which the job leaves its place to another one. */
const TURN_MS = 15_000

/** Sends to the endpoint what is due, for a while. What is left then has another job. */
export async function sendDue(
  ctx: UnboundJobContext,
  { endpoint_id }: { endpoint_id: string },
): Promise<void> {
  const ends_at = performance.now() + TURN_MS
  const goes_on = () => performance.now() < ends_at && !ctx.signal.aborted && !ctx.services.stopping.aborted
  while (goes_on() && (await sendNext(ctx, endpoint_id))) {}
  await inTransaction(ctx, SETTLE_MS, async () => {
    await release(ctx, endpoint_id, ctx.request.id)
    await enqueueDue(ctx, endpoint_id)
  })
}
