/** Asks connected PSAs for what changed: what no webhook has told is found here. */
import { z } from 'zod'
import { type DirectoryPage, type Psa, type PsaChange, psaOf } from '../../../connectors/psa.ts'
import { scoped, scopedInsert, sql, type Tenancy, tenancyOf } from '../../../db/db.ts'
import { statement } from '../../../db/sql.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { ApiError } from '../../../errors/errors.ts'
import { enqueue } from '../../../jobs/enqueue.ts'
import type { UnboundJobContext } from '../../../jobs/job.ts'
import type { LoopContext } from '../../../jobs/loop.ts'
import { serviceContext } from '../../../jobs/service-context.ts'
import { newId } from '../../../lib/ids.ts'
import { integrationNamed, POLLED_CONNECTIONS } from '../../integrations/index.ts'
import { type ReceivedEvent, receiveEvents } from '../receive.ts'
import { advanced, Cursor, changedSince, cursorFrom, untold } from '../rules/polling.ts'

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
   returning p.cursors, c.connected_at`,
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

const CURSORS = z.partialRecord(z.enum(['TICKET', 'TIME_ENTRY']), Cursor)

type Kind = 'TICKET' | 'TIME_ENTRY'

const CALLS = {
  TICKET: 'ticketChangePage',
  TIME_ENTRY: 'timeEntryChangePage',
} as const satisfies Record<Kind, keyof Psa>

/** An event of a change. That it is one of a webhook too is found where it is processed. */
const eventOf = (entity_type: Kind, entity_id: string, psa_changed_at: Date): ReceivedEvent => ({
  event_id: null,
  source: 'POLL',
  entity_type,
  entity_id,
  action: 'UNKNOWN',
  psa_changed_at,
})

/** Tells of every change of the kind since the cursor, page by page. Repeated after a failure, it tells again what it told. */
async function look(ctx: UnboundJobContext, name: string, kind: Kind, from: Cursor): Promise<void> {
  const { services } = ctx
  const psa = psaOf({ ...ctx, fresh: true })
  const changed_since = changedSince(from)
  let cursor = from
  let after: string | null = null
  do {
    const { rows, next }: DirectoryPage<PsaChange> = await psa[CALLS[kind]]({ changed_since, after })
    const events = untold(cursor, rows).map(({ entity_id, changed_at }) =>
      eventOf(kind, entity_id, changed_at),
    )
    await receiveEvents(services, tenancyOf(ctx), events)
    const now = services.now()
    cursor = advanced(cursor, rows, now)
    await sql(ctx, SAVE, [name, now, JSON.stringify({ [kind]: cursor })])
    after = next
  } while (after !== null && !ctx.signal.aborted)
}

interface Begun {
  cursors: unknown
  connected_at: Date
}

/** Asks the connected PSA for what changed. A PSA that is away is asked again when the next look is due. */
export async function poll(ctx: UnboundJobContext, { name }: z.output<typeof POLL.payload>): Promise<void> {
  const system = integrationNamed(name)?.system
  const adapter = system && ctx.services.connectors.adapterOf(system)
  if (!adapter) return
  const [begun] = await sql<Begun>(ctx, BEGIN, [name, ctx.services.now()])
  if (!begun) return
  const cursors = CURSORS.parse(begun.cursors)
  const unsupported: ReadonlySet<string> = adapter.unsupported
  try {
    for (const kind of ['TICKET', 'TIME_ENTRY'] as const)
      if (!unsupported.has(CALLS[kind]))
        await look(ctx, name, kind, cursorFrom(cursors[kind], begun.connected_at))
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'upstream_unavailable')) throw error
    ctx.log.info({ integration: name, err: error }, 'a PSA could not be asked for what changed')
  } finally {
    await sql(ctx, END, [name])
  }
}
