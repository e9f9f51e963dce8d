/** Records of the calls that ports make, stored in lots: no call waits for its record. */
import { type Sql, statement } from '../db/sql.ts'
import { flushing, writeBuffer } from '../db/write-buffer.ts'
import { SYSTEMS } from './systems.ts'

/** A call that was answered, or given up. */
export interface UpstreamCall {
  tenant_id: string
  environment: string
  /** The kind of system. */
  upstream: string
  at: Date
  /** Seconds until the system answered, or was given up. */
  wait_seconds: number
  /** It answered, if only by refusing a change. */
  ok: boolean
}

const FLUSH_MS = 10_000

const OF_KINDS = Object.entries(SYSTEMS).flatMap(([kind, systems]) =>
  systems.map(([system]) => ({ kind, system, name: system.toLowerCase().replaceAll('_', '-') })),
)

// A port does not know the product behind it: that is the one of its kind that the tenant has connected.
// Contract silent: of several it is the tenant's PSA, or else the first by name; of none the tenant's PSA, or else the kind.
const STORE = statement(
  'upstream_calls.store',
  `with made as (
     select * from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::float8[], $6::boolean[])
       as made (tenant_id, environment, upstream, at, wait_seconds, ok)
   ), named as (
     select o.*, coalesce((
         select s.system from unnest($7::text[], $8::text[], $9::text[]) as s (kind, system, name)
         join integration_connection i on i.tenant_id = o.tenant_id and i.environment = o.environment
           and i.name = s.name and i.connected
         where s.kind = o.upstream
         order by (s.system = t.psa_type) is true desc, s.name collate "C" limit 1
       ), case when o.upstream = 'PSA' then t.psa_type end, o.upstream) as system
     from (select distinct tenant_id, environment, upstream from made) o left join tenant t on t.id = o.tenant_id
   )
   insert into upstream_call (tenant_id, environment, system, at, wait_seconds, ok)
   select tenant_id, environment, system, at, wait_seconds, ok from made
   join named using (tenant_id, environment, upstream)
   order by at`,
)

/** Records that are at most ten seconds late. */
export function createUpstreamCalls(sql: Sql) {
  const buffer = writeBuffer<UpstreamCall>(
    {
      rows: (query, values = []) =>
        sql.rows(query, [
          ...values,
          OF_KINDS.map(({ kind }) => kind),
          OF_KINDS.map(({ system }) => system),
          OF_KINDS.map(({ name }) => name),
        ]),
    },
    STORE,
    [
      (call) => call.tenant_id,
      (call) => call.environment,
      (call) => call.upstream,
      (call) => call.at.toISOString(),
      (call) => call.wait_seconds,
      (call) => call.ok,
    ],
    () => {},
  )
  const { schedule, flush } = flushing(FLUSH_MS, buffer.write)
  let made = 0
  return {
    record(call: UpstreamCall): void {
      schedule()
      buffer.add(String(made++), call)
    },
    flush,
  }
}
