/**
 * The minimum: the least that any HTTP service on PostgreSQL does. `node:http`, one prepared statement for a request,
 * `JSON.stringify`. It judges nobody and counts nothing; the tenant is in the query. How far it is from anybody else is
 * all that can ever be gained.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import pg from 'pg'

const { DATABASE_URL, POOL = '4', ENVIRONMENT = '' } = process.env

pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number)
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
const pool = new pg.Pool({
  connectionString: DATABASE_URL,
  max: Number(POOL),
  idleTimeoutMillis: 60_000,
  options: '-c plan_cache_mode=force_generic_plan',
})

/** The values of a statement after the tenant and the environment. */
type Values = (query: URLSearchParams, request: IncomingMessage) => unknown[] | Promise<unknown[]>

interface Route {
  text: string
  values: Values
}

const named =
  (...names: string[]): Values =>
  (query) =>
    names.map((name) => query.get(name))

const LINKS = `select system, external_id, external_name, psa_company_id, psa_company_name, link_state, match_method,
    confidence, is_primary, mapped_by, mapped_at, revision, mapped, sort_name
  from company_link where tenant_id = $1 and environment = $2 and system = $3 and not hidden`

const EXECUTIONS = `select json_agg(latest) from (
    select execution_id, status, resolution, entity_number, seconds_spent, message_for_dashboard, created_at, finished_at
    from execution e
    where e.tenant_id = a.tenant_id and e.environment = a.environment and e.agent_id = a.id
    order by e.created_at desc, e.execution_id desc limit 5
  ) latest`
const AGENTS = `select a.id, a.name, a.state, a.autonomy_type, a.trigger_type, a.entity_type, a.supervised,
    a.created_by_name, a.created_at, a.updated_at, json_build_object('items', coalesce((${EXECUTIONS}), '[]')) as executions
  from agent a where a.tenant_id = $1 and a.environment = $2 and a.state <> 'ARCHIVED'`

const summaryOf = (read: string) => `select answer from bench_summary
  where read = '${read}' and tenant_id = $1 and environment = $2 and from_at = $3::timestamptz
    and to_at = $4::timestamptz`

const MEMORIES = `select id, state, content, category, audiences::text[] as audiences, scope_type, scope_id, derivation,
    confidence, evidence, created_by, created_by_user_name, test_mode, pinned_at, last_confirmed_at, superseded_by,
    supersedes_id, deleted_at, created_at, revision
  from agent_memory where tenant_id = $1 and environment = $2 and state = 'ACTIVE' and not test_mode`

/** The change and its activity row; `kept` may add another row. */
const write = (kept: string) => `with changed as (
    update settings set sleep_before_callback_processing_seconds = $3::int, revision = revision + 1, updated_at = now()
    where tenant_id = $1 and environment = $2 returning *
  ), entry as (
    insert into activity_entry (tenant_id, environment, id, occurred_at, action, actor_type, actor_id, actor_name,
      targets, context, before, after)
    select $1, $2, $4, now(), 'settings.updated', 'API_KEY', 'key_bench', 'key_bench', '[]', '{}', to_jsonb(changed),
      to_jsonb(changed)
    from changed
  ) ${kept} select * from changed`
const KEPT = `, kept as (
    insert into idempotency_record (tenant_id, environment, credential_id, operation, key, fingerprint, status, body,
      request_id, created_at)
    select $1, $2, 'key_bench', 'update_settings', $5, $5, 200, to_jsonb(changed)::text, $4, now() from changed
  )`

const ENTRY = (action: string, target: string) => `entry as (
    insert into activity_entry (tenant_id, environment, id, occurred_at, action, actor_type, actor_id, actor_name,
      targets, context, after)
    select $1, $2, $3, now(), '${action}', 'API_KEY', 'key_bench', 'key_bench', '[]', '{}', to_jsonb(${target})
    from ${target}
  )`
const CREATE = `with drafted as (
    insert into agent (tenant_id, environment, name, description, autonomy_type, trigger_type, entity_type,
      agent_settings, toolbox, integrations, callback_settings, ticket_conditions, created_by_name, created_at, updated_at)
    select $1, $2, name, description, autonomy_type, trigger_type, entity_type, agent_settings, toolbox, integrations,
      callback_settings, ticket_conditions, 'key_bench', now(), now()
    from jsonb_populate_record(null::agent, $4)
    returning id, name, description, state, agent_settings, created_at, updated_at
  ), revision as (
    insert into agent_revision (tenant_id, environment, agent_id, revision, changed_at, changed_by_name, changed_paths,
      snapshot)
    select $1, $2, id, 1, now(), 'key_bench', '{}', to_jsonb(drafted) from drafted
  ), ${ENTRY('agent.created', 'drafted')}
  select id, name, state, created_at, updated_at from drafted`
const START = `with started as (
    insert into execution (tenant_id, environment, execution_id, agent_id, trigger, entity_type, entity_id,
      entity_number, created_at, updated_at)
    select $1, $2, $3, $4::int, 'RUN_NOW', 'TICKET', ticket_id, number, now(), now()
    from psa_ticket where tenant_id = $1 and environment = $2 and ticket_id = $5
    returning execution_id, status, supervised
  ), job as (
    insert into pgboss.job (name, data, policy)
    select 'executions.run', jsonb_build_object('payload', jsonb_build_object('execution_id', execution_id)), 'standard'
    from started
  ), ${ENTRY('execution.started', 'started')}
  select *, false as already_live from started`

const bodyOf = async (request: IncomingMessage) => JSON.parse(await text(request))

const changeOf: Values = async (_query, request) => {
  const { sleep_before_callback_processing_seconds } = await bodyOf(request)
  return [sleep_before_callback_processing_seconds, `act_${randomUUID()}`]
}

const ROUTES: Record<string, Route> = {
  '/R1': {
    text: `${LINKS} order by mapped, sort_name, external_id limit $4::int`,
    values: named('system', 'page_size'),
  },
  '/R1-after': {
    text: `${LINKS} and (mapped, sort_name, external_id) > ($5::boolean, $6, $7)
      order by mapped, sort_name, external_id limit $4::int`,
    values: named('system', 'page_size', 'mapped', 'sort_name', 'external_id'),
  },
  '/R2': {
    text: `select e.*, a.name as agent_name from execution e
      join agent a on a.tenant_id = e.tenant_id and a.environment = e.environment and a.id = e.agent_id
      where e.tenant_id = $1 and e.environment = $2 and e.execution_id = $3`,
    values: named('execution_id'),
  },
  // The answers of R3 and R5 were stored beforehand.
  '/R3': {
    text: summaryOf('R3'),
    values: named('from', 'to'),
  },
  '/R4': {
    text: `${AGENTS} order by a.created_at desc, a.id desc limit $3::int`,
    values: named('page_size'),
  },
  '/R4-after': {
    text: `${AGENTS} and (a.created_at, a.id) < ($4::timestamptz, $5::int)
      order by a.created_at desc, a.id desc limit $3::int`,
    values: named('page_size', 'created_at', 'id'),
  },
  '/R5': {
    text: summaryOf('R5'),
    values: named('from', 'to'),
  },
  '/R6': {
    text: `select * from audit_entry where tenant_id = $1 and environment = $2 and system = $3
        and access = $4::tool_access and outcome = $5::audit_outcome
      order by occurred_at desc, sequence desc limit $6::int`,
    values: named('system', 'access', 'outcome', 'page_size'),
  },
  '/R7': {
    text: `${MEMORIES} order by created_at desc, id desc limit $3::int`,
    values: named('page_size'),
  },
  '/R7-after': {
    text: `${MEMORIES} and (created_at, id) < ($4::timestamptz, $5) order by created_at desc, id desc limit $3::int`,
    values: named('page_size', 'created_at', 'id'),
  },
  '/W3': {
    text: CREATE,
    values: async (_query, request) => [`act_${randomUUID()}`, await bodyOf(request)],
  },
  '/W4': {
    text: START,
    values: async (query, request) => [
      `exe_${randomUUID()}`,
      query.get('agent_id'),
      (await bodyOf(request)).entity_id,
    ],
  },
  '/W1': { text: write(''), values: changeOf },
  '/W2': {
    text: write(KEPT),
    values: async (query, request) => [
      ...(await changeOf(query, request)),
      request.headers['idempotency-key'],
    ],
  },
  '/key': {
    text: `select id, name, tenant_id, environment, acting_user_id, expires_at from api_key
      where tenant_id = $1 and environment = $2 and id = 'key_bench'`,
    values: () => [],
  },
}

async function answer(request: IncomingMessage): Promise<string> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
  const route = ROUTES[pathname]
  if (!route) throw new Error(`There is no ${pathname}`)
  const values = [searchParams.get('tenant'), ENVIRONMENT, ...(await route.values(searchParams, request))]
  const { rows } = await pool.query({ name: pathname, text: route.text, values })
  return JSON.stringify(rows)
}

const server = createServer((request, response) => {
  answer(request).then(
    (body) => response.writeHead(200, { 'content-type': 'application/json' }).end(body),
    (error) => response.writeHead(500).end(String(error)),
  )
})

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
