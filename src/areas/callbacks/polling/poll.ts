/** Asks connected PSAs for what changed: what no webhook has told is found here. */
import { z } from 'zod'
import { type DirectoryPage, type Psa, type PsaChange, psaOf } from '../../../connectors/psa.ts'
import { scoped, scopedInsert, sql, type Tenancy, tenancyOf } from '../../../db/db.ts'
import { statement } from '../../../db/sql.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { ApiError } from '../../../errors/errors.ts'
import { givenUpWithinDay } from '../../../jobs/dead-letters.ts'
import { enqueue } from '../../../jobs/enqueue.ts'
import type { JobContext, UnboundJobContext } from '../../../jobs/job.ts'
import type { LoopContext } from '../../../jobs/loop.ts'
import { serviceContext } from '../../../jobs/service-context.ts'
import { newId } from '../../../lib/ids.ts'
import { markPage } from '../../../lib/page-marks.ts'
import { integrationNamed, POLLED_CONNECTIONS } from '../../integrations/index.ts'
import { type ReceivedEvent, receiveEvents } from '../receive.ts'
import { advanced, Cursor, changedSince, cursorFrom, roomOf, untold, withinRoom } from '../rules/polling.ts'

export const POLL = {
  name: 'callbacks.poll',
  payload: z.object({ name: z.string() }),
  tenancy: 'tenant',
} as const

const DUE = statement(
  'callbacks.polls_due',
  `select c.tenant_id, c.environment, c.name, c.poll_interval_seconds
   from ${POLLED_CONNECTIONS} c left join psa_poll p using (tenant_id, environment, name)
   where c.environment = $1 and (p.due_at is null or p.due_at <= $2)
   order by p.due_at nulls first, c.tenant_id limit 200`,
)

const TAKE = scopedInsert(
  'callbacks.take_poll',
  `insert into psa_poll (tenant_id, environment, name, due_at)
   values ($1, $2, $3::text, $4::timestamptz + $5::int * interval '1 second')
   on conflict (tenant_id, environment, name) do update set due_at = excluded.due_at
     where psa_poll.due_at <= $4::timestamptz
   returning name`,
)

interface DuePoll extends Tenancy {
  name: string
  poll_interval_seconds: number
}

const QUEUE_MS = 10_000

/** Enqueues the looks that are due, each of them in one process. */
export async function queuePolls({ services, now, signal }: LoopContext): Promise<void> {
  const { sql: database } = services.database
  for (const { name, poll_interval_seconds, ...tenancy } of await database.rows<DuePoll>(DUE, [
    services.environment,
    now,
  ])) {
    if (signal.aborted) return
    const ctx = serviceContext(services, 'callbacks.queue_polls', newId('pol'), tenancy)
    await inTransaction(ctx, QUEUE_MS, async () => {
      const taken = await sql(ctx, TAKE, [name, now, poll_interval_seconds])
      if (taken.length > 0) await enqueue(ctx, POLL, { name })
    })
  }
}

/** A worker that is lost gives up its lease after so long; one that works on renews it at each page. */
const LEASE = `interval '2 minutes'`

const BEGIN = scoped(
  'callbacks.begin_poll',
  `update psa_poll p set leased_until = $4::timestamptz + ${LEASE} from ${POLLED_CONNECTIONS} c
   where p.tenant_id = $1 and p.environment = $2 and p.name = $3::text
     and (p.leased_until is null or p.leased_until < $4::timestamptz)
     and c.tenant_id = p.tenant_id and c.environment = p.environment and c.name = p.name
   returning p.cursors, c.connected_at, c.connection_id`,
)

const SAVE = scoped(
  'callbacks.save_cursor',
  `update psa_poll p set leased_until = $4::timestamptz + ${LEASE}, cursors = p.cursors || $5::jsonb
   where p.tenant_id = $1 and p.environment = $2 and p.name = $3::text`,
)

const END = scoped(
  'callbacks.end_poll',
  `update psa_poll p set leased_until = null
   where p.tenant_id = $1 and p.environment = $2 and p.name = $3::text`,
)

const PUT_OFF = scoped(
  'callbacks.put_off_poll',
  `update psa_poll p set leased_until = null, due_at = $4::timestamptz
     + case when (p.tenant_id, p.environment, p.name) in (${givenUpWithinDay(POLL.name)}) then interval '1 day'
       else interval '1 hour' end
   where p.tenant_id = $1 and p.environment = $2 and p.name = $3::text`,
)

// Contract silent: a PSA whose changes end workers is asked again after an hour, and then once a day.
/** Puts off the next look at a connection whose poll is given up. It is no dead letter yet. */
export async function giveUpPoll(ctx: JobContext, { name }: z.output<typeof POLL.payload>): Promise<void> {
  await sql(ctx, PUT_OFF, [name, ctx.now])
}

const CURSORS = z.partialRecord(z.enum(['TICKET', 'TIME_ENTRY']), Cursor)

type Kind = 'TICKET' | 'TIME_ENTRY'

const CALLS = {
  TICKET: 'ticketChangePage',
  TIME_ENTRY: 'timeEntryChangePage',
} as const satisfies Record<Kind, keyof Psa>

/** An event of a change. That it is one of a webhook too is found where it is processed. */
const eventOf = (
  entity_type: Kind,
  { entity_id, changed_at }: PsaChange,
  connection_id: string,
): ReceivedEvent => ({
  event_id: null,
  source: 'POLL',
  entity_type,
  entity_id,
  action: 'UNKNOWN',
  psa_changed_at: changed_at,
  connection_id,
})

/** Pages of one look. The next look goes on where it stood. */
const MAX_PAGES = 1000

/**
 * Tells of every change of the kind since the cursor, page by page, until the hour has no more room for changes of the kind.
 * Repeated after a failure, it tells again what it told.
 */
async function look(
  ctx: UnboundJobContext,
  { name, connection_id }: { name: string; connection_id: string },
  kind: Kind,
  from: Cursor,
  most: number,
): Promise<void> {
  const { services } = ctx
  const psa = psaOf({ ...ctx, fresh: true, pace: 'CALLBACK' })
  const changed_since = changedSince(from)
  let cursor = from
  let after: string | null = null
  let mark: ReturnType<typeof markPage> = null
  if (roomOf(cursor, most, services.now()) === 0) return
  do {
    const page: DirectoryPage<PsaChange> = await psa[CALLS[kind]]({ changed_since, after })
    const room = roomOf(cursor, most, services.now())
    const rows = withinRoom(cursor, page.rows, room)
    const events = untold(cursor, rows).map((change) => eventOf(kind, change, connection_id))
    await receiveEvents(services, tenancyOf(ctx), events)
    const now = services.now()
    cursor = advanced(cursor, rows, now)
    await sql(ctx, SAVE, [name, now, JSON.stringify({ [kind]: cursor })])
    if (rows.length < page.rows.length || (page.next !== null && room === 0)) {
      ctx.log.warn({ integration: name, kind, most }, 'a PSA told of too many changes: the next hour goes on')
      return
    }
    after = page.next
    if (after === null) return
    mark = markPage(mark, { next: after, rows: page.rows.map(({ entity_id }) => entity_id) })
    if (mark === null || mark.pages === MAX_PAGES) {
      ctx.log.warn(
        { integration: name, kind, pages: mark?.pages },
        'a PSA did not come to an end of its changes',
      )
      return
    }
  } while (!ctx.signal.aborted)
}

interface Begun {
  cursors: unknown
  connected_at: Date
  connection_id: string
}

/** Asks the connected PSA for what changed. A PSA that is away is asked again when the next look is due. */
export async function poll(ctx: UnboundJobContext, { name }: z.output<typeof POLL.payload>): Promise<void> {
  const system = integrationNamed(name)?.system
  const adapter = system && ctx.services.connectors.adapterOf(system)
  if (!adapter) return
  const [begun] = await sql<Begun>(ctx, BEGIN, [name, ctx.services.now()])
  if (!begun) return
  const asked = { name, connection_id: begun.connection_id }
  const cursors = CURSORS.parse(begun.cursors)
  const unsupported: ReadonlySet<string> = adapter.unsupported
  const kinds = (['TICKET', 'TIME_ENTRY'] as const).filter((kind) => !unsupported.has(CALLS[kind]))
  // Contract silent: each kind has an equal share of the hour, so that tickets leave room for time entries.
  const most = Math.ceil(ctx.services.psa_bounds.polled_changes_an_hour / kinds.length)
  try {
    for (const kind of kinds)
      await look(ctx, asked, kind, cursorFrom(cursors[kind], begun.connected_at), most)
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'upstream_unavailable')) throw error
    ctx.log.info({ integration: name, err: error }, 'a PSA could not be asked for what changed')
  } finally {
    await sql(ctx, END, [name])
  }
}
