/** The feed of the demo MSP: events of what its rows say has happened, in the days for which events are kept. */
import { EVENT_DAYS } from '../db/live/events.ts'
import type { Seeding } from './seeding.ts'

/** Rows `(type, kind, entity_id, agent_id, at, status, data)`: the data of an event have the status that it tells of. */
const HAPPENED = `
  select h.type, 'EXECUTION', e.execution_id, e.agent_id, h.at, h.status,
    execution_event_data(e) || jsonb_build_object('status', h.status)
      || case when h.at is distinct from e.finished_at then '{"resolution": "NONE", "failure_kind": null, "error_code": null}'::jsonb else '{}' end
  from execution e cross join lateral (values
    ('execution.created', e.created_at, 'NEW'),
    ('execution.started', e.started_at, 'RUNNING'),
    (case when e.status = 'RUNNING' then '' else execution_event(e.status, 'NEW') end,
      coalesce(e.finished_at, e.updated_at), e.status::text)
  ) as h (type, at, status)
  where e.tenant_id = $1 and e.environment = $2 and h.type <> ''
  union all
  select h.type, 'TIL_REQUEST', r.id, r.agent_id, h.at, h.status,
    til_request_event_data(r) || jsonb_build_object('status', h.status)
      || case when h.type = 'til_request.created'
           then '{"decided_by_name": null, "reason_code": null, "comment": null}'::jsonb else '{}' end
  from til_request r cross join lateral (values
    ('til_request.created', r.created_at, 'PENDING'),
    (case when r.status = 'PENDING' then '' else til_request_event(r.status) end, r.closed_at, r.status::text)
  ) as h (type, at, status)
  where r.tenant_id = $1 and r.environment = $2 and r.status <> 'SHADOWED' and h.type <> ''
  union all
  select 'integration.sync_finished', 'INTEGRATION_SYNC', s.id, null, s.finished_at, s.status::text,
    jsonb_build_object('sync_id', s.id, 'name', s.name, 'status', s.status, 'is_full', s.is_full, 'error', s.error)
  from integration_sync s
  where s.tenant_id = $1 and s.environment = $2`

/** Writes the feed in place of the rows that triggers wrote of the seeds: no subscriber is told of those. */
export async function seedEvents({ tx, tenancy: { tenant_id, environment }, now }: Seeding): Promise<void> {
  await tx.liveEvent.deleteMany({ where: { tenant_id, environment } })
  await tx.$executeRawUnsafe(
    `with happened (type, kind, entity_id, agent_id, at, status, data) as (${HAPPENED}),
     placed as (
       insert into live_event (tenant_id, environment, transaction_id, type, kind, entity_id, agent_id, at, status, data,
         event_id, sequence)
       select $1, $2, 1, type, kind::live_event_kind, entity_id, agent_id, at, status, data,
         'evt_' || md5($1 || $2 || type || entity_id), row_number() over (order by at, type, entity_id)
       from happened where at > $3::timestamptz - interval '${EVENT_DAYS} days' and at <= $3::timestamptz
       returning sequence
     )
     insert into event_feed (tenant_id, environment, last_sequence) select $1, $2, max(sequence) from placed`,
    tenant_id,
    environment,
    now,
  )
}
