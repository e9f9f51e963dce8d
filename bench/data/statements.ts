/** The rows, made by the database itself. `scale` multiplies links and executions, per tenant. */
import { observed } from './observed.ts'
import { AGENTS, DAYS, EXECUTIONS, LINKS, SYSTEMS, TENANTS } from './tenants.ts'
import { each, list, nameOf, now, some, tenant } from './words.ts'

/** The last agents of a tenant are for chat: they have no executions. */
const CHAT_AGENTS = 2
const AGENTS_THAT_RUN = AGENTS - CHAT_AGENTS
const COMPANIES = 1_000

const SETTLED = `status in ('COMPLETED', 'FAILED', 'TIMED_OUT', 'CANCELLED')`

export const statements = (scale: number): string[] => [
  `insert into tenant (id, name, data_residency, referral_code, features, created_at)
   select 'ten_bench_' || t, 'Bench MSP ' || t, 'EU', 'BENCHX', '{}', ${now} from ${each}`,
  `insert into settings (tenant_id, environment, human_friendly_client_name, timezone, updated_at)
   select ${tenant('t')}, 'Bench MSP ' || t, 'Europe/London', ${now} from ${each}`,
  `insert into tenant_user (tenant_id, environment, id, subject, name, email, role, created_at, updated_at)
   select ${tenant('t')}, 'usr_' || lower(role), lower(role), initcap(role), lower(role) || '@bench.test',
     role::tenant_role, ${now}, ${now}
   from ${each}, unnest('{OWNER,USER,VIEWER}'::text[]) role`,
  `insert into end_company (tenant_id, environment, id, psa_company_id, name, domains, created_at, updated_at)
   select ${tenant('t')}, 'cmp_' || n, 'psa_' || n, ${nameOf('n')}, '{}', ${now}, ${now}
   from ${each}, generate_series(1, ${COMPANIES}) n`,
  `insert into company_link (tenant_id, environment, system, external_id, external_name, psa_company_id,
     psa_company_name, link_state, match_method, confidence, confirmed_at, created_at, updated_at)
   select ${tenant('t')}, (${list(SYSTEMS)})[s], 'ext_' || n, ${nameOf('n', `n || ' ' || s || ' ' || t`)},
     case when n % 5 > 0 then 'psa_' || 1 + n % ${COMPANIES} end,
     case when n % 5 > 0 then ${nameOf(`(1 + n % ${COMPANIES})`)} end,
     (case when n % 5 = 0 then 'UNMAPPED' when n % 7 = 0 then 'MANUAL' else 'AUTO' end)::link_state,
     (case when n % 5 = 0 then 'UNMATCHED' when n % 7 = 0 then 'MANUAL' else 'DOMAIN' end)::match_method,
     case when n % 5 = 0 then 0 when n % 7 = 0 then 1 else 0.9 end,
     case when n % 97 > 0 then ${now} end, ${now}, ${now}
   from generate_series(1, ${LINKS * scale}) n, ${each}, generate_series(1, ${SYSTEMS.length}) s`,
  `insert into agent (tenant_id, environment, id, name, description, state, autonomy_type, trigger_type, entity_type,
     agent_settings, toolbox, integrations, created_by_user_id, created_by_name, created_at, updated_at)
   select ${tenant('t')}, (t - 1) * ${AGENTS} + n, ${nameOf('n')}, 'Looks after ' || ${nameOf('n')},
     (case when n % 9 = 0 then 'PAUSED' else 'ACTIVE' end)::agent_state,
     (case when n > ${AGENTS_THAT_RUN} then 'CONVERSATIONAL' when n % 4 = 0 then 'CHAINED_ACTIONS' else 'AGENTIC' end)
       ::autonomy_type,
     (case when n > ${AGENTS_THAT_RUN} then 'CHAT' else 'TRIGGERED' end)::trigger_type,
     (case when n > ${AGENTS_THAT_RUN} then 'NONE' when n % 6 = 0 then 'TIME_ENTRY' else 'TICKET' end)::entity_type,
     jsonb_build_object('custom_instructions', repeat('Read the ticket before you answer. ', 20), 'max_minutes', 60),
     '{"tools": ["get_ticket", "add_note", "set_status"]}', '{"grants": [{"system": "HUDU", "access": "READ"}]}',
     case when n % 2 = 0 then 'usr_user' else 'usr_owner' end, case when n % 2 = 0 then 'User' else 'Owner' end,
     ${now} - interval '1 day' * (${DAYS} + n), ${now} - interval '1 hour' * n
   from ${each}, generate_series(1, ${AGENTS}) n`,
  `select setval(pg_get_serial_sequence('agent', 'id'), ${TENANTS * AGENTS})`,
  `insert into agent_share (tenant_id, environment, agent_id, user_id, created_at)
   select tenant_id, environment, id, 'usr_user', ${now} from agent where id % 3 = 0 and created_by_user_id <> 'usr_user'`,
  // Tenants alternate as they do when all of them are at work, and about six in ten have a ticket of their own.
  `insert into execution (tenant_id, environment, execution_id, agent_id, status, resolution, trigger, entity_type, entity_id,
     entity_number, seconds_spent, hours_saved, credits_consumed, run_count, error, failure_kind, message_for_dashboard,
     created_at, updated_at, started_at, finished_at)
   select tenant_id, environment, execution_id, agent_id, status::execution_status,
     (case when status = 'COMPLETED' then (${list(['FULL', 'PARTIAL', 'FULL', 'NONE'])})[1 + ${some(4, 'execution_id')}]
       else 'NONE' end)::execution_resolution,
     'TRIGGERED', (case when (agent_id - 1) % ${AGENTS} % 6 = 5 then 'TIME_ENTRY' else 'TICKET' end)::entity_type,
     'tkt_' || ticket, ticket::text, 20 + ${some(600, 'execution_id')},
     case when status = 'COMPLETED' then 0.1 + ${some(20, 'execution_id')} / 10.0 else 0 end,
     1 + ${some(50, 'execution_id')} / 10.0, 1, case when status = 'FAILED' then 'The tool gave up.' end,
     (case when status = 'FAILED' then 'TOOL' end)::failure_kind,
     'Looked into ticket ' || ticket || ' and left a note.', created_at, created_at + interval '90 seconds',
     created_at + interval '5 seconds', case when ${SETTLED} then created_at + interval '90 seconds' end
   from (
     select ${tenant('t')}, 'exe_' || md5(t || ' ' || n), (t - 1) * ${AGENTS} + 1 + ${some(AGENTS_THAT_RUN, `t || ' ' || n`)},
       (case when n > ${EXECUTIONS * scale} - 40 then ${list(['NEW', 'RUNNING', 'WAITING_FOR_APPROVAL'])}
         else ${list([...Array(15).fill('COMPLETED'), 'FAILED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'SKIPPED'])} end
       )[1 + n % (case when n > ${EXECUTIONS * scale} - 40 then 3 else 20 end)],
       floor(n * 0.9)::int + case when n > ${EXECUTIONS * scale} - 40 then 200 + n else ${some(200, `n || ' ' || t`)} end,
       ${now} - interval '1 second' * floor(${DAYS * 86_400} * (1 - n / ${EXECUTIONS * scale}.0))
     from generate_series(1, ${EXECUTIONS * scale}) n, ${each}
   ) as made (tenant_id, environment, execution_id, agent_id, status, ticket, created_at)`,
  `insert into credit_entry (tenant_id, environment, id, agent_id, at, credits)
   select tenant_id, environment, 'crd_' || id || '_' || h, id, ${now} - interval '1 hour' * h, 0.5 + h % 7
   from agent, generate_series(1, ${DAYS * 24}) h where autonomy_type = 'CONVERSATIONAL'`,
  `insert into tickets_received (tenant_id, environment, quarter, count)
   select ${tenant('t')}, ${now} - interval '15 minutes' * q, (q * 7 + t) % 6
   from ${each}, generate_series(1, ${(DAYS + 20) * 24 * 4}) q`,
  ...observed(scale),
]
