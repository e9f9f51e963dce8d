/** The rows that writes leave behind: read, counted and removed. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Write } from '../questions.ts'
import { AGENTS, ENVIRONMENT, TENANTS } from './tenants.ts'

export interface Writes {
  /** Removes what the write left behind, and stores in every tenant's settings what nobody asks for. */
  reset(write: Write): Promise<void>
  /** How many changes are recorded. */
  recorded(): Promise<number>
  /** The newest row of each table that the write adds rows to, without what differs from request to request. */
  latest(write: Write): Promise<unknown>
  close(): Promise<void>
}

interface Trace {
  /** Statements, with a semicolon between them. */
  reset: string
  /** Columns of a `select`. */
  latest: string
}

// The activity log is only ever added to: a trigger sees to it.
const RESET_LOG = `
  set session_replication_role = replica;
  truncate activity_entry, idempotency_record, agent_revision;
  set session_replication_role = origin`

const ENTRY = `(
    select to_jsonb(a) - '{id,occurred_at,context,before,after,targets}'::text[] || jsonb_build_object(
      'context', a.context - '{request_id,user_agent}'::text[],
      'before', a.before - 'updated_at', 'after', a.after
        - '{updated_at,execution_id,entity_id,entity_number,psa_company_id}'::text[]
        || jsonb_build_object('names_company', a.after ->> 'psa_company_id' is not null),
      'targets', (select jsonb_agg(target - '{id,name}'::text[]) from jsonb_array_elements(a.targets) target))
    from activity_entry a order by occurred_at desc, id desc limit 1
  ) as entry`

const SETTINGS: Trace = {
  reset: `
    update settings set sleep_before_callback_processing_seconds = 0, revision = 1, updated_at = now()
      where environment = '${ENVIRONMENT}';
    vacuum settings`,
  latest: `${ENTRY}, (
      select to_jsonb(i) - '{key,request_id,created_at,fingerprint,body}'::text[]
        || jsonb_build_object('has_body', i.body is not null)
      from idempotency_record i order by created_at desc limit 1
    ) as kept`,
}

const CREATED_AGENTS: Trace = {
  // Without the triggers of keys that other tables have, of which a new agent has no rows.
  reset: `
    set session_replication_role = replica;
    delete from agent where id > ${TENANTS * AGENTS};
    set session_replication_role = origin;
    vacuum agent`,
  latest: `${ENTRY}, (
      select to_jsonb(a) - '{id,created_at,updated_at}'::text[] from agent a order by id desc limit 1
    ) as agent, (
      select to_jsonb(r) - '{agent_id,changed_at}'::text[] from agent_revision r order by agent_id desc limit 1
    ) as revision`,
}

// Jobs wait in the table of their queue, among which PostgreSQL finds it.
const STARTED = `trigger = 'RUN_NOW' and status in ('NEW', 'RUNNING', 'WAITING_FOR_APPROVAL', 'WAITING_FOR_INPUT')`
const STARTED_EXECUTIONS: Trace = {
  reset: `
    delete from execution where ${STARTED};
    delete from pgboss.job where name = 'executions.run';
    vacuum execution, execution_daily, ticket_repeat, pgboss.job`,
  latest: `${ENTRY}, (
      select to_jsonb(e)
        - '{execution_id,entity_id,entity_number,psa_company_id,request_id,search_text,created_at,updated_at}'::text[]
        || jsonb_build_object('has_request', e.request_id is not null, 'has_company', e.psa_company_id is not null)
      from execution e where ${STARTED} order by created_at desc, execution_id desc limit 1
    ) as execution, (
      select to_jsonb(j) - '{id,start_after,created_on,keep_until,data}'::text[]
        || jsonb_build_object('tenancy', j.data -> 'tenancy', 'is_named', e.execution_id is not null)
      from pgboss.job j left join execution e on e.tenant_id = j.data -> 'tenancy' ->> 'tenant_id'
        and e.environment = '${ENVIRONMENT}' and e.execution_id = j.data -> 'payload' ->> 'execution_id'
      where j.name = 'executions.run' order by j.created_on desc limit 1
    ) as job`,
}

const TRACES: Record<Write, Trace> = {
  W1: SETTINGS,
  W2: SETTINGS,
  W3: CREATED_AGENTS,
  W4: STARTED_EXECUTIONS,
}

/** How many transactions of others are under way: of requests that the load generator did not wait for. */
const UNDER_WAY = `select count(*)::int as count from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
    and backend_type = 'client backend'`
const LOOK_MS = 5

export async function watchWrites(url: string): Promise<Writes> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const count = async (text: string): Promise<number> => (await client.query(text)).rows[0].count
  return {
    async reset(write) {
      while ((await count(UNDER_WAY)) > 0) await sleep(LOOK_MS)
      for (const statement of `${RESET_LOG};${TRACES[write].reset}`.split(';')) await client.query(statement)
    },
    recorded: () => count('select count(*)::int as count from activity_entry'),
    latest: async (write) => (await client.query(`select ${TRACES[write].latest}`)).rows[0],
    close: () => client.end(),
  }
}
