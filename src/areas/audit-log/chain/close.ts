/** Closes the chain of the audit log over the entries that are stored since, in the background: no writer waits for it. */

import type { Database } from '../../../db/database.ts'
import { type Sql, statement } from '../../../db/sql.ts'
import type { Tenancy } from '../../../db/tenancy/context.ts'
import type { Services } from '../../../gateway/context.ts'
import type { Loop } from '../../../jobs/loop.ts'
import { cachedFor } from '../../../lib/cached-for.ts'
import { closeOver, type DayRow, dayChainOf, dayOf, type HashedEntry } from './chain.ts'
import { HASHED_COLUMNS } from './hashed-columns.ts'

interface Waiting extends Tenancy {
  /** The seconds since the oldest waiting entry was stored. */
  seconds: number
}

// One step of the index for each tenant, however many entries of it wait. Entries are stored when their calls have ended.
const FIND = statement(
  'audit_log.unclosed',
  `with recursive waiting as (
     (select tenant_id, environment, occurred_at, duration_ms from audit_entry where hash is null
      order by tenant_id, environment, occurred_at limit 1)
     union all
     select n.* from waiting w cross join lateral (
       select tenant_id, environment, occurred_at, duration_ms from audit_entry
       where hash is null and (tenant_id, environment) > (w.tenant_id, w.environment)
       order by tenant_id, environment, occurred_at limit 1) n
   )
   select tenant_id, environment,
     greatest(0, extract(epoch from now() - occurred_at) - duration_ms / 1000.0)::float8 as seconds
   from waiting where environment = $1`,
)

// Contract silent: entries wait for the chain one second, and up to five under load.
const INTERVAL_MS = 1000
const LATE_SECONDS = 5

const findWaiting = (sql: Sql, environment: string): Promise<Waiting[]> =>
  sql.rows<Waiting>(FIND, [environment])

const oldest = (waiting: readonly Waiting[]): number =>
  waiting.reduce((most, { seconds }) => Math.max(most, seconds), 0)

const READ_MS = 1000

/** The age of the oldest entry that the chain is not closed over, read at most once a second; 0 if none waits. */
export const oldestUnclosedSeconds = (sql: Sql, environment: string): (() => Promise<number>) =>
  cachedFor(READ_MS, () => findWaiting(sql, environment).then(oldest, () => 0))

/** Lets the transaction alone write the chain of a tenant and environment, if no other one does. */
export const LOCK_CHAIN = statement(
  'audit_log.lock_chain',
  `select set_config('app.audit_chain', 'on', true),
     pg_try_advisory_xact_lock(hashtextextended(json_build_array($1::text, $2::text, 'audit_chain')::text, 0)) as locked`,
)

const LAST_DAY = statement(
  'audit_log.last_day',
  `select day, previous_day, previous_day_hash, entries, last_hash, anchored_at is not null as anchored
   from audit_day where tenant_id = $1 and environment = $2 order by day desc limit 1`,
)

const BATCH = 500
/** The embedded database does one thing at a time, so that a batch is what others may wait for. */
const EMBEDDED_BATCH = 100

const readUnclosed = (limit: number) =>
  statement(
    `audit_log.unclosed ${limit}`,
    `select ${HASHED_COLUMNS.join(', ')} from audit_entry
     where tenant_id = $1 and environment = $2 and hash is null order by occurred_at, sequence limit ${limit}`,
  )

const WRITE = statement(
  'audit_log.close',
  `with closed as (
     update audit_entry e
     set chain_day = l.chain_day, chain_position = l.chain_position, previous_hash = l.previous_hash, hash = l.hash
     from jsonb_to_recordset($3::jsonb) as
       l (id text, chain_day date, chain_position int, previous_hash text, hash text)
     where e.tenant_id = $1 and e.environment = $2 and e.id = l.id and e.hash is null
     returning 1
   ), days as (
     insert into audit_day (tenant_id, environment, day, previous_day, previous_day_hash, entries, last_hash)
     select $1, $2, d.day, d.previous_day, d.previous_day_hash, d.entries, d.last_hash
     from jsonb_to_recordset($4::jsonb) as
       d (day date, previous_day date, previous_day_hash text, entries int, last_hash text)
     on conflict (tenant_id, environment, day)
       do update set entries = excluded.entries, last_hash = excluded.last_hash
   )
   select count(*) as closed from closed`,
)

/** Closes the chain over the oldest waiting entries. Returns their number: 0 if another process is doing it. */
export async function closeNext(sql: Sql, tenancy: Tenancy, now: Date, limit: number): Promise<number> {
  const of = [tenancy.tenant_id, tenancy.environment]
  const [begun] = await sql.rows<{ locked: boolean }>(LOCK_CHAIN, of)
  if (!begun?.locked) return 0
  // Statements that begin after the lock see the rows of the process that held it before.
  const entries = await sql.rows<HashedEntry>(readUnclosed(limit), of)
  if (entries.length === 0) return 0
  const [last] = await sql.rows<DayRow & { anchored: boolean }>(LAST_DAY, of)
  const chain = last ? dayChainOf(last) : null
  const { links, days } = closeOver(tenancy, chain, entries, dayOf(now), last?.anchored)
  const [written] = await sql.rows<{ closed: number }>(WRITE, [
    ...of,
    JSON.stringify(links),
    JSON.stringify(days),
  ])
  if (Number(written?.closed) !== links.length)
    throw new Error('Entries changed while the chain was closed over them')
  return links.length
}

const BATCH_MS = 10_000

const closeBatch = (database: Database, tenancy: Tenancy, now: Date, limit: number): Promise<number> =>
  database.transaction(BATCH_MS, (connection) => closeNext(connection, tenancy, now, limit))

/** A tenant whose chain cannot be closed does not keep the others waiting: the first error is thrown at the end. */
async function closeRound({ database, now }: Services, waiting: readonly Waiting[], signal: AbortSignal) {
  const limit = database.kind === 'embedded' ? EMBEDDED_BATCH : BATCH
  let more = false
  const errors: unknown[] = []
  for (const tenancy of waiting) {
    if (signal.aborted) return false
    try {
      more = (await closeBatch(database, tenancy, now(), limit)) === limit || more
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
  return more
}

/** Closes the chains of all tenants, a batch of each in turn, until hardly anything is left. */
export const closeChains: Loop = {
  name: 'audit-log.close_chains',
  interval_ms: INTERVAL_MS,
  async run({ services, signal, log }) {
    const { database, environment } = services
    let waiting = await findWaiting(database.sql, environment)
    const seconds = oldest(waiting)
    if (seconds > LATE_SECONDS)
      log.warn(
        { tenants: waiting.length, seconds: Math.round(seconds) },
        'the chain of the audit log is behind',
      )
    while (await closeRound(services, waiting, signal)) waiting = await findWaiting(database.sql, environment)
  },
}
