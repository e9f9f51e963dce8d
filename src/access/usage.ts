/** Usage: the last request of each key and user, and the calls of each key by operation, buffered and written in batches. */
import type { Sql } from '../db/sql.ts'
import { statement } from '../db/sql.ts'
import { flushing, writeBuffer } from '../db/write-buffer.ts'
import type { Viewer } from './viewer.ts'

interface Seen {
  tenant_id: string
  environment: string
  id: string
  at: Date
  ip: string
}

interface Count {
  tenant_id: string
  environment: string
  key_id: string
  /** In UTC. */
  day: string
  operation: string
  requests: number
  errors: number
}

export interface Usage {
  /** Counts one request of a caller. */
  seen(viewer: Viewer, operation: string, failed: boolean, ip: string): void
  /** Writes the buffers. Rejects if that fails, and keeps them for the next flush. */
  flush(): Promise<void>
}

const FLUSH_MS = 15_000

// Rows are locked in one order, so that processes that write the same rows do not deadlock.
const lastSeen = (table: string, assignments: string, column: string) =>
  statement(
    `${table}_last_seen`,
    `with noted as (
       select * from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[])
         as noted (tenant_id, environment, id, at, ip)
     ), locked as (
       select tenant_id, environment, id from ${table}
       where (tenant_id, environment, id) in (select tenant_id, environment, id from noted)
       order by tenant_id, environment, id for no key update
     )
     update ${table} as row set ${assignments}
     from noted join locked using (tenant_id, environment, id)
     where row.tenant_id = noted.tenant_id and row.environment = noted.environment and row.id = noted.id
       and (row.${column} is null or row.${column} < noted.at)`,
  )

const KEYS_SEEN = lastSeen('api_key', 'last_used_at = noted.at, last_used_ip = noted.ip', 'last_used_at')
const USERS_SEEN = lastSeen('tenant_user', 'last_seen_at = noted.at', 'last_seen_at')

const ADD_COUNTS = statement(
  'api_key_usage_add',
  `insert into api_key_usage as kept (tenant_id, environment, key_id, day, operation, requests, errors)
   select * from unnest($1::text[], $2::text[], $3::text[], $4::date[], $5::text[], $6::int[], $7::int[])
     as noted (tenant_id, environment, key_id, day, operation, requests, errors)
   order by tenant_id, environment, key_id, day, operation
   on conflict (tenant_id, environment, key_id, day, operation) do update
     set requests = kept.requests + excluded.requests, errors = kept.errors + excluded.errors`,
)

const DAY_MS = 86_400_000

/** Formats the day of an instant. The text is cached for the day. */
function utcDays(): (at: Date) => string {
  let number = Number.NaN
  let text = ''
  return (at) => {
    const current = Math.floor(at.getTime() / DAY_MS)
    if (current !== number) {
      number = current
      text = at.toISOString().slice(0, 10)
    }
    return text
  }
}

/** Usage that is at most 15 seconds late. */
export function createUsage({ sql, now }: { sql: Sql; now: () => Date }): Usage {
  const seenColumns: ((entry: Seen) => unknown)[] = [
    (entry) => entry.tenant_id,
    (entry) => entry.environment,
    (entry) => entry.id,
    (entry) => entry.at.toISOString(),
    (entry) => entry.ip,
  ]
  const latest = (kept: Seen, { at, ip }: Seen) => Object.assign(kept, { at, ip })
  const keys = writeBuffer(sql, KEYS_SEEN, seenColumns, latest)
  const users = writeBuffer(sql, USERS_SEEN, seenColumns, latest)
  const counts = writeBuffer<Count>(
    sql,
    ADD_COUNTS,
    [
      (count) => count.tenant_id,
      (count) => count.environment,
      (count) => count.key_id,
      (count) => count.day,
      (count) => count.operation,
      (count) => count.requests,
      (count) => count.errors,
    ],
    (kept, { requests, errors }) => {
      kept.requests += requests
      kept.errors += errors
    },
  )
  const { schedule, flush } = flushing(FLUSH_MS, async () => {
    const results = await Promise.allSettled([keys.write(), users.write(), counts.write()])
    for (const result of results) if (result.status === 'rejected') throw result.reason
  })

  const dayOf = utcDays()

  return {
    seen: ({ kind, tenant_id, environment, id }, operation, failed, ip) => {
      if (kind.seen_in === null) return
      const at = now()
      const caller = `${tenant_id}\n${environment}\n${id}`
      schedule()
      if (kind.seen_in === 'tenant_user') return users.add(caller, { tenant_id, environment, id, at, ip })
      const day = dayOf(at)
      keys.add(caller, { tenant_id, environment, id, at, ip })
      const errors = failed ? 1 : 0
      const count = { tenant_id, environment, key_id: id, day, operation, requests: 1, errors }
      return counts.add(`${caller}\n${day}\n${operation}`, count)
    },
    flush,
  }
}
