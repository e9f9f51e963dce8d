/**
 * Rows of the agents' work and of its causes: tool calls, memories, callbacks and tickets. As many of them whatever the
 * scale: their reads are asked for a page or a window.
 */
import {
  AGENTS,
  CALLBACK_DAYS,
  CALLBACKS,
  CONNECTED,
  ENVIRONMENT,
  MEMORIES,
  TENANTS,
  TICKETS,
  TOOL_SYSTEMS,
  UPSTREAM_CALLS,
} from './tenants.ts'
import { each, list, nameOf, now, some, tenant } from './words.ts'

const CALLS_OF_EXECUTION = 2
const DAY_SECONDS = 86_400

const chosen = (values: readonly string[], seed: string) =>
  `(${list(values)})[1 + ${some(values.length, seed)}]`

const TOOL_CALLS = (scale: number) => `
  insert into audit_entry (tenant_id, environment, id, occurred_at, agent_id, agent_name, execution_id, temporal_run_id,
    tool_name, tool_title, system, access, outcome, arguments, result_summary, error_code, error_message, duration_ms,
    entity_id, entity_number, psa_company_id, psa_company_name, correlation_id, hash, previous_hash, chain_day,
    chain_position)
  select tenant_id, environment, id, occurred_at, agent_id, agent_name, execution_id, 'run_' || execution_id,
    (case when access = 'READ' then 'ticket.read' else 'ticket.update' end),
    (case when access = 'READ' then 'Read ticket' else 'Update ticket' end), system, access::tool_access,
    outcome::audit_outcome, jsonb_build_object('ticket_id', entity_id, 'fields', jsonb_build_array('status', 'board')),
    case when outcome = 'SUCCEEDED' then 'Ticket ' || entity_number || ' was looked at.' end,
    case when outcome = 'FAILED' then 'upstream_error' end,
    case when outcome = 'FAILED' then 'The PSA answered with an error.' end, 50 + ${some(900, 'id')}, entity_id,
    entity_number, 'psa_' || company, 'Company ' || company, execution_id, md5(id) || md5(id), md5(id) || md5(id),
    occurred_at::date, row_number() over (partition by tenant_id, environment, occurred_at::date order by occurred_at, id)
  from (
    select e.*, a.name as agent_name, 'aud_' || md5(e.tenant_id || e.execution_id || k) as id,
      e.created_at + interval '10 seconds' * k as occurred_at, 1 + ${some(1000, 'e.entity_id')} as company,
      ${chosen(TOOL_SYSTEMS, `'s' || e.execution_id || k`)} as system,
      ${chosen(['READ', 'READ', 'READ', 'WRITE', 'WRITE'], `'a' || e.execution_id || k`)} as access,
      ${chosen([...Array(16).fill('SUCCEEDED'), 'FAILED', 'FAILED', 'DENIED', 'TIMED_OUT'], `'o' || e.execution_id || k`)}
        as outcome
    from execution e join agent a using (tenant_id, environment)
    cross join generate_series(1, ${CALLS_OF_EXECUTION}) k
    where a.id = e.agent_id and e.created_at > ${now} - interval '34 days' / ${scale}
    order by e.created_at, k
  ) as made`

/** The chains are closed, with hashes of the right length: a worker has nothing to close during the measurements. */
const CHAINS = `
  insert into audit_day (tenant_id, environment, day, entries, last_hash)
  select tenant_id, environment, chain_day, count(*), max(hash) from audit_entry group by 1, 2, 3`

const MEMORY = `
  insert into agent_memory (tenant_id, environment, id, state, content, category, audiences, scope_type, scope_id,
    derivation, confidence, evidence, created_by, created_by_user_name, restricted_agent_ids, last_confirmed_at,
    created_at, updated_at)
  select ${tenant('t')}, 'mem_' || md5(t || ' ' || n),
    (case when n % 15 = 0 then 'SUPERSEDED' else 'ACTIVE' end)::memory_state,
    ${nameOf('n')} || ' wants to be called before somebody comes, and closes at ' || 15 + n % 5 || ':00.',
    (case when n % 3 = 0 then 'PROCEDURAL' else 'SEMANTIC' end)::memory_category,
    (case when n % 4 = 0 then '{TECHNICIANS,DISPATCH}' else '{ALL}' end)::memory_audience[], 'CLIENT',
    'psa_' || 1 + n % 1000, (case when n % 5 = 0 then 'STATED' else 'OBSERVED' end)::memory_derivation,
    0.5 + n % 50 / 100.0, 'Ticket ' || n, (case when n % 5 = 0 then 'TECHNICIAN' else 'AGENT' end)::memory_creator,
    case when n % 5 = 0 then 'Owner' end,
    case when n % 10 = 0 then array[(t - 1) * ${AGENTS} + 1 + n % ${AGENTS}] else '{}' end, ${now},
    ${now} - interval '20 minutes' * (${MEMORIES} - n), ${now} - interval '20 minutes' * (${MEMORIES} - n)
  from ${each}, generate_series(1, ${MEMORIES}) n`

/** The first two tenants, who have callbacks: `c` is a part of the number. The newest is number 0. */
const numbered = (of_all: number) => `
  (values (1, ${of_all}), (2, ${of_all / 10})) of_tenant (t, c) cross join generate_series(c - 1, 0, -1) j`

/** Seconds from one number to the next, of the last day and of the days before it. */
function steps(of_all: number) {
  const day = Math.floor(of_all / CALLBACK_DAYS)
  const earlier = (t: number) => ((CALLBACK_DAYS - 1) * DAY_SECONDS) / (of_all / (t === 1 ? 1 : 10) - day)
  return {
    day,
    step: DAY_SECONDS / day,
    earlier: `(case t when 1 then ${earlier(1)} else ${earlier(2)} end)`,
  }
}

/** The age of number `j`: the second tenant has as many of the last day as the first one, and fewer of the others. */
function age(of_all: number): string {
  const { day, step, earlier } = steps(of_all)
  return `interval '1 second' * (least(j, ${day}) * ${step} + greatest(j - ${day}, 0) * ${earlier})`
}

/** The number whose age that is. */
function numberOf(of_all: number, seconds: string): string {
  const { step, earlier } = steps(of_all)
  return `(least(${seconds}, ${DAY_SECONDS}) / ${step} + greatest(${seconds} - ${DAY_SECONDS}, 0) / ${earlier})`
}

const CHANGES = [
  '{TICKET_CREATED}',
  '{TICKET_STATUS_CHANGED}',
  '{TICKET_STATUS_CHANGED,TICKET_ASSIGNEE_CHANGED}',
  '{TICKET_PRIORITY_CHANGED}',
  '{TICKET_CUSTOMER_REPLIED}',
  '{TICKET_INTERNAL_NOTE_ADDED}',
  '{TICKET_CLOSED}',
]
const anyChange = `(array[${CHANGES.map((codes) => `'${codes}'`).join(', ')}])[1 + ${some(CHANGES.length, `'c' || j`)}]`

const CALLBACK = `
  insert into callback (tenant_id, environment, id, psa_type, change_types, entity_type, entity_id, entity_number,
    psa_company_id, status, filter_reason, received_at, psa_changed_at, sleep_seconds, wait_seconds, work_seconds,
    processed_at, error)
  select ${tenant('t')}, 'cbk_' || t || '_' || j, 'HALO_PSA',
    (case when j % 20 = 19 then '{}' else ${anyChange} end)::text[],
    (case when j % 20 = 19 then 'COMPANY' else 'TICKET' end)::callback_entity_type,
    'tkt_' || entity, case when j % 20 < 19 then entity::text end, 'psa_' || 1 + entity % 1000,
    status::callback_status, (case when status = 'FILTERED_OUT' then 'CHANGE_TYPE_UNUSED' end)::filter_reason,
    received_at, received_at - interval '1 second' * (1 + ${some(40, `'d' || j`)}), sleep, wait, work,
    case when status in ('PROCESSED', 'FAILED') then received_at + interval '1 second' * (sleep + wait + work) end,
    case when status = 'FAILED' then 'The PSA did not answer.' end
  from (
    select t, j, ${now} - ${age(CALLBACKS)} as received_at, j / 4 + ${some(5_000, `'e' || j`)} as entity,
      (case when j < 40 then ${chosen(['RECEIVED', 'QUEUED', 'PROCESSING'], 'j::text')}
        when j % 10 < 7 then 'PROCESSED' when j % 30 = 9 then 'FAILED' else 'FILTERED_OUT' end) as status,
      (case when j % 10 < 7 then 30 else 0 end) as sleep,
      (case when j % 11 = 0 then 1 + ${some(60, `'w' || j`)} else 0 end) as wait,
      0.5 + ${some(200, `'k' || j`)} / 40.0 as work
    from ${numbered(CALLBACKS)}
  ) as made`

/** Executions belong to a callback that came before them; every tenth is processed. */
const MATCHED = `
  insert into callback_match (tenant_id, environment, callback_id, agent_id, result, execution_id, received_at)
  select tenant_id, environment, 'cbk_' || t || '_' || j, agent_id, 'MATCHED', execution_id, ${now} - ${age(CALLBACKS)}
  from (
    select e.*, t, 10 * ceil(${numberOf(CALLBACKS, 'seconds')} / 10)::int as j
    from (values ('ten_bench_1', 1), ('ten_bench_2', 2)) of_tenant (tenant_id, t) join execution e using (tenant_id)
    cross join lateral (select extract(epoch from ${now} - created_at) as seconds) as aged
    where e.created_at > ${now} - interval '${CALLBACK_DAYS - 1} days'
  ) as made
  on conflict do nothing`

const NOT_MATCHED = `
  insert into callback_match (tenant_id, environment, callback_id, agent_id, result, reason_code, received_at)
  select ${tenant('t')}, 'cbk_' || t || '_' || j, (t - 1) * ${AGENTS} + 1 + ${some(AGENTS, `'m' || j || k`)},
    'NOT_MATCHED', 'CHANGE_TYPE_NOT_SELECTED', ${now} - ${age(CALLBACKS)}
  from ${numbered(CALLBACKS)} cross join lateral generate_series(1, 1 + j % 2) k
  where j >= 40 and j % 10 < 7
  on conflict do nothing`

const UPSTREAM = `
  insert into upstream_call (tenant_id, environment, system, at, wait_seconds, ok)
  select ${tenant('t')}, 'HALO_PSA', ${now} - ${age(UPSTREAM_CALLS)}, 0.1 + ${some(100, `'u' || j`)} / 50.0, j % 40 > 0
  from ${numbered(UPSTREAM_CALLS)}`

const TICKET = `
  insert into psa_ticket (tenant_id, environment, ticket_id, number, title, status, priority, board, psa_company_id,
    created_at, updated_at)
  select ${tenant('t')}, 'psa_' || n, 'P' || n, 'Printer ' || n || ' does not print', 'New', 'Medium', 'Service desk',
    'psa_' || 1 + n % 1000, ${now}, ${now}
  from generate_series(0, ${TICKETS - 1}) n, ${each}`

const CONNECTION = `
  insert into integration_connection (tenant_id, environment, name, connected, last_sync_at, last_sync_status, health,
    updated_at)
  select ${tenant('t')}, name, true, ${now}, 'SUCCEEDED', 'HEALTHY', ${now}
  from ${each}, unnest(${list(CONNECTED)}) name`

const SUBSCRIPTION = `
  insert into subscription (tenant_id, environment, first_period_start, updated_at)
  select id, '${ENVIRONMENT}', created_at, created_at from tenant limit ${TENANTS}`

export const observed = (scale: number): string[] => [
  TOOL_CALLS(scale),
  CHAINS,
  MEMORY,
  CALLBACK,
  MATCHED,
  NOT_MATCHED,
  UPSTREAM,
  TICKET,
  CONNECTION,
  SUBSCRIPTION,
]
