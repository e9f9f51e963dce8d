/** A database for runs: tenants with two agents each, and tickets that nobody has worked on. */
import type pg from 'pg'
import { connected } from '../data/databases.ts'
import { filled } from '../data/indexes.ts'
import { kept, recipe } from '../data/kept.ts'
import { insertKey } from '../data/keys.ts'
import { ENVIRONMENT, type Tenant, tenantsNamed } from '../data/tenants.ts'
import { DATABASE_SUFFIX, runScript } from '../service.ts'

/** So many that those of one worker are no tenant's share: each may have twenty executions at work. */
export const tenants = tenantsNamed('ten_runs', 20)
const TICKETS = 4_000

const each = `generate_series(1, ${tenants.length}) t`
const tenancy = `'ten_runs_' || t, '${ENVIRONMENT}'`

const ACTIONS = [
  { type: 'ticket.add_note', params: { text: 'We are on it.', visibility: 'INTERNAL' } },
  { type: 'ticket.read', params: {} },
  { type: 'ticket.set_priority', params: { priority: 'High' } },
]
const GRANTS = {
  grants: [{ system: 'HALO_PSA', access: 'WRITE', permission_groups: ['TICKETS'] }],
}

/** The ids of the agents of tenant number `index`, from 0 on. */
export const chainOf = (index: number): number => 2 * index + 1
export const thinkerOf = (index: number): number => 2 * index + 2
export const ticketOf = (number: number): string => `tkt_${1 + (number % TICKETS)}`

/** What a tenant has, of those whose numbers are `t` in `each`. */
const rowsOf = (each: string): string[] => [
  `insert into tenant (id, name, data_residency, referral_code, features, created_at)
   select 'ten_runs_' || t, 'Runs MSP ' || t, 'EU', 'BENCHX', '{}', now() from ${each}`,
  `insert into settings (tenant_id, environment, human_friendly_client_name, timezone, updated_at)
   select ${tenancy}, 'Runs MSP ' || t, 'Europe/London', now() from ${each}`,
  `insert into tenant_user (tenant_id, environment, id, subject, name, email, role, created_at, updated_at)
   select ${tenancy}, 'usr_owner', 'owner', 'Owner', 'owner@bench.test', 'OWNER', now(), now() from ${each}`,
  `insert into end_company (tenant_id, environment, id, psa_company_id, name, domains, created_at, updated_at)
   select ${tenancy}, 'cmp_1', 'psa_1', 'Alder & Finch', '{}', now(), now() from ${each}`,
  `insert into agent (tenant_id, environment, id, name, state, autonomy_type, trigger_type, entity_type,
     agent_settings, actions, integrations, created_by_user_id, created_by_name, created_at, updated_at)
   select ${tenancy}, 2 * t - 1 + kind, 'Agent ' || kind, 'ACTIVE',
     (case kind when 0 then 'CHAINED_ACTIONS' else 'AGENTIC' end)::autonomy_type, 'TRIGGERED', 'TICKET',
     '{"custom_instructions": "Read the ticket before you answer.", "estimated_minutes_saved": 8}',
     case kind when 0 then '${JSON.stringify(ACTIONS)}'::jsonb end,
     case kind when 1 then '${JSON.stringify(GRANTS)}'::jsonb end, 'usr_owner', 'Owner', now(), now()
   from ${each}, generate_series(0, 1) kind`,
  `select setval(pg_get_serial_sequence('agent', 'id'), ${2 * tenants.length + 2})`,
  `insert into integration_connection (tenant_id, environment, name, connected, last_sync_at, last_sync_status, health,
     updated_at)
   select ${tenancy}, 'halo-psa', true, now(), 'SUCCEEDED', 'HEALTHY', now() from ${each}`,
  `insert into subscription (tenant_id, environment, first_period_start, updated_at)
   select ${tenancy}, now(), now() from ${each}`,
  `insert into psa_ticket (tenant_id, environment, ticket_id, number, title, description, status, priority, board,
     psa_company_id, created_at, updated_at)
   select ${tenancy}, 'tkt_' || n, n::text, 'Printer ' || n || ' does not print', 'It is on, and nothing comes.', 'New',
     'Medium', 'Service desk', 'psa_1', now(), now()
   from ${each}, generate_series(1, ${TICKETS}) n`,
]

const statements = rowsOf(each)

/** The files that its rows come from. */
export const RUNS_MADE_BY = ['data.ts', '../data/tenants.ts', '../data/keys.ts'].map(
  (name) => `${import.meta.dirname}/${name}`,
)

/** The secrets of further keys of the first tenant. */
export const subscriberKeys = tenantsNamed('key_runs', 50).map(({ key }) => key)

export async function fillRuns(url: string): Promise<void> {
  runScript('migrate', url)
  await connected(url, async (client) => {
    await filled(client, [], async () => {
      for (const statement of statements) await client.query(statement)
    })
    for (const { id: tenant_id, key } of tenants)
      await insertKey(client, { tenant_id, id: 'key_bench', secret: key, acting_user_id: null })
    for (const [index, secret] of subscriberKeys.entries())
      await insertKey(client, {
        tenant_id: tenants[0]?.id ?? '',
        id: `key_${index}`,
        secret,
        acting_user_id: null,
      })
    await client.query('vacuum (analyze)')
  })
}

/** One tenant more, whose number is the one after theirs. */
export async function addNewcomer(client: pg.Client): Promise<Tenant> {
  const number = tenants.length + 1
  const newcomer = tenantsNamed('ten_runs', number).at(-1) as Tenant
  for (const statement of rowsOf(`generate_series(${number}, ${number}) t`)) await client.query(statement)
  await insertKey(client, {
    tenant_id: newcomer.id,
    id: 'key_bench',
    secret: newcomer.key,
    acting_user_id: null,
  })
  return newcomer
}

export const runsDatabase = (): Promise<string> =>
  kept(`automation_service_bench_runs${DATABASE_SUFFIX}`, recipe(RUNS_MADE_BY, 1), fillRuns)
