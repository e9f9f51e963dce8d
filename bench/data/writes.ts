/** What writes leave behind: looked at, counted, and removed. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { ENVIRONMENT } from './tenants.ts'

export interface Writes {
  /** Removes what was written, and stores in every tenant's settings what nobody asks for. */
  reset(): Promise<void>
  /** How many changes are recorded. */
  recorded(): Promise<number>
  /** The newest row of each table that a write adds rows to, without what differs from request to request. */
  latest(): Promise<unknown>
  close(): Promise<void>
}

// The activity log is only ever added to: a trigger sees to it.
const RESET = `
  set session_replication_role = replica;
  truncate activity_entry, idempotency_record;
  update settings set sleep_before_callback_processing_seconds = 0, revision = 1, updated_at = now()
    where environment = '${ENVIRONMENT}';
  vacuum settings`

/** How many transactions of others are under way: of requests that the load generator did not wait for. */
const UNDER_WAY = `select count(*)::int as count from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
    and backend_type = 'client backend'`
const LOOK_MS = 5

const LATEST = `
  select (
    select to_jsonb(a) - '{id,occurred_at,context,before,after}'::text[] || jsonb_build_object(
      'context', a.context - '{request_id,user_agent}'::text[],
      'before', a.before - 'updated_at', 'after', a.after - 'updated_at')
    from activity_entry a order by occurred_at desc, id desc limit 1
  ) as entry, (
    select to_jsonb(i) - '{key,request_id,created_at,fingerprint,body}'::text[]
      || jsonb_build_object('has_body', i.body is not null)
    from idempotency_record i order by created_at desc limit 1
  ) as kept`

export async function watchWrites(url: string): Promise<Writes> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const count = async (text: string): Promise<number> => (await client.query(text)).rows[0].count
  return {
    async reset() {
      while ((await count(UNDER_WAY)) > 0) await sleep(LOOK_MS)
      for (const statement of RESET.split(';')) await client.query(statement)
    },
    recorded: () => count('select count(*)::int as count from activity_entry'),
    latest: async () => (await client.query(LATEST)).rows[0],
    close: () => client.end(),
  }
}
