/** The choice of the jobs that a worker takes next: tenants that wait take turns, however much each has waiting. */
import { type Sql, statement } from '../db/sql.ts'
import type { StoredJob } from '../gateway/job-sender.ts'
import { ENVIRONMENT_OF, TENANT_OF } from './queue.ts'

/** A queue in which the worker has places for more jobs. */
export interface Places {
  queue: string
  /** Empty for a queue of the system. */
  environment: string
  free: number
  /** The most that one tenant has of the places at once. */
  most: number
}

/** The jobs of a tenant that the worker has. */
export interface Held {
  queue: string
  tenant: string
  jobs: number
}

export interface ClaimedJob {
  queue: string
  id: string
  data: StoredJob
  retry_count: number
  /** The workers that were lost with the job. */
  lost: number
}

const IS_READY = "j.state < 'active' and not j.blocked"

/** True for the output of a job that pg-boss took from a worker which was not heard of any more. */
export const WAS_LOST =
  "coalesce(j.output -> 'value' ->> 'message' in ('job heartbeat timeout', 'job timed out'), false)"

const LOST = `coalesce((j.data ->> 'lost')::int, 0) + (j.state = 'retry' and ${WAS_LOST})::int`

/**
 * Lost workers after which a process runs a job beside no other such job: the jobs that were lost with one worker are
 * taken one by one, so that a job is not given up for another job that ends workers.
 */
export const SUSPECT_LOST = 2

/** The index that the choice reads: of a tenant with many waiting jobs, only the next ones. */
export const WAITING_INDEX = `create index if not exists job_waiting on pgboss.job
  (name, (coalesce(data -> 'tenancy' ->> 'environment', '')), (coalesce(data -> 'tenancy' ->> 'tenant_id', '')), start_after)
  where state < 'active' and not blocked`

/** The tenants looked at in one choice, and the jobs of each. Another choice follows at once, beginning with the others. */
const TENANTS = 500
const OF_TENANT = 10

const nextTenant = (queue: string, after: string): string => `(
  select ${TENANT_OF('j')} as tenant from pgboss.job j
  where j.name = ${queue}.name and ${ENVIRONMENT_OF('j')} = ${queue}.environment and ${IS_READY}
    and ${TENANT_OF('j')} ${after}
  order by ${TENANT_OF('j')} limit 1
)`

// Contract silent: a tenant may have four times as many jobs here as there are free places, so that a later tenant finds
// a place, and a tenant that is alone has most of them.
const SHARE = 4

// The rows are locked, so that they stay where they are: whatever the statistics say, they are not looked for again.
const CLAIM = statement(
  'jobs.claim',
  `with recursive places as materialized (
     select * from jsonb_to_recordset($1::jsonb) as p (name text, environment text, free int, most int)
   ), held as materialized (
     select * from jsonb_to_recordset($2::jsonb) as h (name text, tenant text, jobs int)
   ), tenants as (
     select p.name, p.environment, p.free, p.most, t.tenant, 1 as position
     from places p cross join lateral ${nextTenant('p', '>= $3::text')} t
     union all
     select p.name, p.environment, p.free, p.most, t.tenant, p.position + 1
     from tenants p cross join lateral ${nextTenant('p', '> p.tenant')} t
     where p.position < ${TENANTS}
   ), next as (
     select t.name, t.free, t.most, j.id, j.start_after,
       j.lost >= ${SUSPECT_LOST} as is_suspect,
       coalesce((select h.jobs from held h where h.name = t.name and h.tenant = t.tenant), 0)
         + row_number() over (partition by t.name, t.tenant order by j.start_after) as number
     from tenants t cross join lateral (
       select j.id, j.start_after, ${LOST} as lost from pgboss.job j
       where j.name = t.name and ${ENVIRONMENT_OF('j')} = t.environment and ${TENANT_OF('j')} = t.tenant and ${IS_READY}
         and j.start_after <= now() and ($4::boolean or ${LOST} < ${SUSPECT_LOST})
       order by j.start_after limit ${OF_TENANT}
     ) j
   ), permitted as (
     select * from next where not is_suspect
     union all (
       select * from next n where n.is_suspect and n.number <= n.most order by n.start_after, n.id limit 1
     )
   ), chosen as (
     select n.name, n.id from (
       select next.*, row_number() over (partition by name order by number, start_after) as place from permitted next
     ) n
     where n.place <= n.free and n.number <= least(n.most, ${SHARE} * (n.free - n.place + 1))
   ), locked as materialized (
     select l.id, l.place from chosen c cross join lateral (
       select j.id, j.ctid as place from pgboss.job j where j.name = c.name and j.id = c.id and ${IS_READY} for update skip locked
     ) l
   )
   update pgboss.job j set state = 'active', started_on = now(), heartbeat_on = now(),
     retry_count = j.retry_count + (j.started_on is not null)::int,
     data = case when j.state = 'retry' and ${WAS_LOST} then j.data || jsonb_build_object('lost', ${LOST}) else j.data end
   where j.ctid = any(array(select place from locked)) and j.id = any(array(select id from locked))
   returning j.name as queue, j.id::text as id, j.data, j.retry_count, coalesce((j.data ->> 'lost')::int, 0) as lost`,
)

/** Takes the next jobs of the queues, of the tenants from `first` on. At most one has lost several workers. */
export const claimJobs = (
  sql: Sql,
  places: readonly Places[],
  held: readonly Held[],
  first: string,
  takes_suspect: boolean,
): Promise<ClaimedJob[]> =>
  sql.rows<ClaimedJob>(CLAIM, [
    JSON.stringify(places.map(({ queue: name, ...place }) => ({ name, ...place }))),
    JSON.stringify(held.map(({ queue: name, ...own }) => ({ name, ...own }))),
    first,
    takes_suspect,
  ])
