/** The runs and the timelines of the demo executions, made from them and from their requests and tool calls. */
import { insertJoined, type Seeding } from './seeding.ts'

// The work of an execution is spread evenly over its runs; the rest of the time it waited between them.
const RUNS = `
  insert into execution_run (tenant_id, environment, execution_id, sequence, temporal_run_id, status, supervised,
    resumed_by_til_request_id, started_at, ended_at)
  select tenant_id, environment, execution_id, run, 'run_' || substr(execution_id, 5) || '_' || run,
    case
      when run < run_count or status in ('WAITING_FOR_APPROVAL', 'WAITING_FOR_INPUT') then 'PAUSED'
      else status::text
    end::execution_run_status,
    supervised, resumed_by,
    date_trunc('milliseconds', started_at + (run - 1) * (work + wait)),
    case when status <> 'RUNNING' or run < run_count
      then date_trunc('milliseconds', started_at + run * work + (run - 1) * wait) end
  from (
    select timed.*, (whole - work * run_count) / greatest(1, run_count - 1) as wait, r.id as resumed_by
    from (
      select e.*, run, whole, case when e.run_count = 1 then whole
        else least(e.seconds_spent * interval '1 second', whole / 2) / e.run_count end as work
      from execution e
      cross join lateral (select coalesce(e.finished_at, e.updated_at) - e.started_at as whole) lasted
      cross join lateral generate_series(1, e.run_count) run
      where e.tenant_id = $1 and e.environment = $2 and e.started_at is not null
    ) timed
    left join til_request r on r.tenant_id = timed.tenant_id and r.environment = timed.environment
      and r.execution_id = timed.execution_id
      and r.resumed_temporal_run_id = 'run_' || substr(timed.execution_id, 5) || '_' || run
  ) r`

const FIRST_RUN = `'run_' || substr(e.execution_id, 5) || '_1'`
const LAST_RUN = `'run_' || substr(e.execution_id, 5) || '_' || e.run_count`

const OF_EXECUTIONS =
  'from execution e where e.tenant_id = $1 and e.environment = $2 and e.started_at is not null'
const OF_REQUESTS =
  'from til_request r where r.tenant_id = $1 and r.environment = $2 and r.execution_id is not null'

// Events of one instant come in the order of `rank`.
const EVENTS = `
  select e.execution_id, e.started_at as at, 1 as rank, 'STATUS_CHANGED' as kind, 'The work began.' as text,
    null as tool_call_id, null as til_request_id, ${FIRST_RUN} as run_id ${OF_EXECUTIONS}
  union all
  select r.execution_id, r.created_at, 3, case r.kind when 'PLAN' then 'PLAN' when 'QUESTION' then 'QUESTION' end,
    coalesce(r.question, r.summary), null, r.id, r.initiating_temporal_run_id ${OF_REQUESTS} and r.kind <> 'WRITE'
  union all
  select r.execution_id, r.created_at, 4, 'APPROVAL_REQUESTED', r.title, null, r.id, r.initiating_temporal_run_id
    ${OF_REQUESTS} and r.kind <> 'QUESTION' and r.status <> 'SHADOWED'
  union all
  select r.execution_id, r.closed_at, 5, 'APPROVAL_DECIDED',
    initcap(r.status::text) || coalesce(' by ' || r.decided_by_name, '') || '.', null, r.id,
    r.initiating_temporal_run_id ${OF_REQUESTS} and r.status not in ('PENDING', 'SHADOWED')
  union all
  select c.execution_id, c.occurred_at, 2, 'TOOL_CALL', coalesce(c.result_summary, c.tool_title), c.id, c.til_request_id,
    c.temporal_run_id
  from audit_entry c join execution e on e.tenant_id = c.tenant_id and e.environment = c.environment
    and e.execution_id = c.execution_id
  where c.tenant_id = $1 and c.environment = $2
    and (c.til_request_id is null or exists (select from til_request r where r.tenant_id = c.tenant_id
      and r.environment = c.environment and r.id = c.til_request_id))
  union all
  select e.execution_id, coalesce(e.finished_at, e.updated_at), 6,
    case when e.error is null then 'MESSAGE' else 'ERROR' end, coalesce(e.error, e.message_for_dashboard), null, null,
    ${LAST_RUN} ${OF_EXECUTIONS} and coalesce(e.error, e.message_for_dashboard) is not null
  union all
  select e.execution_id, e.finished_at, 7, 'STATUS_CHANGED', 'The work ended: ' || e.status || '.', null, null,
    ${LAST_RUN} ${OF_EXECUTIONS} and e.finished_at is not null and e.supervised`

const TIMELINE = `
  insert into timeline_event (tenant_id, environment, id, execution_id, sequence, at, kind, text, tool_call_id,
    til_request_id, temporal_run_id)
  select $1, $2, 'evt_' || substr(execution_id, 5) || '_' || sequence, execution_id, sequence, at,
    kind::timeline_event_kind, text, tool_call_id, til_request_id, run_id
  from (
    select events.*, row_number() over (partition by execution_id order by at, rank, til_request_id, tool_call_id)
      as sequence
    from (${EVENTS}) events
  ) ordered`

export async function seedExecutionHistory({ tx, tenancy }: Seeding): Promise<void> {
  const { tenant_id, environment } = tenancy
  await insertJoined(tx, async () => {
    await tx.$executeRawUnsafe(RUNS, tenant_id, environment)
    await tx.$executeRawUnsafe(TIMELINE, tenant_id, environment)
  })
}
