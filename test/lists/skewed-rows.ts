/** A tenant with many rows in every list that grows: nearly all are alike, and what differs is old. */
import pg from 'pg'
import type { Msp } from '../setup/world.ts'

export const ROWS = Number(process.env.TEST_ROWS ?? 100_000)
/** The oldest rows, which have every value. */
const DIFFERENT = 300
/** All of the last twenty days. */
const SECONDS = (20 * 86_400) / ROWS
/** The agents, of which a USER sees all but the first few. */
const AGENTS = 300
const UNSEEN = 20
/** The agents that a VIEWER sees: one has hardly any rows, and all of them are old; the other one has none. */
const FEW = { busy: AGENTS + 1, idle: AGENTS + 2 }

/** The common value, and any of the values in old rows: every value of the enumeration, if there is one. */
const mostly = (common: string, others: string, step = 1): string =>
  `case when n <= ${ROWS - DIFFERENT} then ${common} else ${others.replaceAll('?', `(n / ${step})`)} end`

const ofEnum = (type: string, common: string, step = 1): string =>
  mostly(
    `'${common}'::${type}`,
    `(enum_range(null::${type}))[1 + ? % cardinality(enum_range(null::${type}))]`,
    step,
  )

const at = `now() - interval '${SECONDS} seconds' * n`
/** Some of them last long. */
const ended = `${at} + interval '1 second' * (case n % 100 when 0 then 40000 else n % 1800 end)`
/** Agents that the USER does not see have the rare rows. */
const agent = mostly(`1 + n % ${AGENTS}`, `case ? % 7 when 0 then ${FEW.busy} else 1 + ? % ${UNSEEN} end`)

const callback_status = ofEnum('callback_status', 'PROCESSED', 3)
const til_kind = ofEnum('til_request_kind', 'PLAN')
const til_status = ofEnum('til_request_status', 'APPROVED', 3)

/** The columns of each table, by the number `n` of the row: the greater it is, the older is the row. */
const TABLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  execution: {
    execution_id: `'exe_' || lpad(n::text, 7, '0')`,
    agent_id: agent,
    trigger: ofEnum('execution_trigger', 'TRIGGERED'),
    status: mostly(
      `(case n % 3 when 0 then 'FAILED' else 'COMPLETED' end)::execution_status`,
      `(enum_range(null::execution_status))[1 + ? % 9]`,
      5,
    ),
    resolution: ofEnum('execution_resolution', 'FULL', 2),
    supervised: mostly('false', '? % 2 = 0', 3),
    entity_type: `'TICKET'::entity_type`,
    entity_id: `(n % 50000)::text`,
    entity_number: `'T-' || n % 50000`,
    created_at: at,
    updated_at: ended,
    finished_at: ended,
  },
  audit_entry: {
    id: `'aud_' || lpad(n::text, 7, '0')`,
    occurred_at: at,
    sequence: `${ROWS} - n`,
    agent_id: agent,
    agent_name: `'Agent'`,
    execution_id: `'exe_' || lpad((1 + n / 4)::text, 7, '0')`,
    tool_name: mostly(`'ticket.' || n % 10`, `'device.' || ? % 3`),
    tool_title: `'A tool'`,
    system: mostly(`'CONNECTWISE_PSA'`, `'HUDU'`),
    access: ofEnum('tool_access', 'READ'),
    outcome: ofEnum('audit_outcome', 'SUCCEEDED', 2),
    supervised: mostly('false', '? % 2 = 0', 3),
    arguments: `'{}'::jsonb`,
    entity_id: `(n % 50000)::text`,
    acting_user_id: mostly('null', `'usr_' || ? % 5`),
    correlation_id: `'cor'`,
  },
  callback: {
    id: `'cbk_' || lpad(n::text, 7, '0')`,
    psa_type: `'CONNECTWISE'`,
    change_types: mostly(
      `array['TICKET_STATUS_CHANGED']`,
      `array[(array['TICKET_CREATED', 'TICKET_CLOSED', 'TICKET_MERGED'])[1 + ? % 3]]`,
    ),
    entity_type: ofEnum('callback_entity_type', 'TICKET'),
    entity_id: `(n % 50000)::text`,
    psa_company_id: `(n % 500)::text`,
    status: callback_status,
    filter_reason: `case ${callback_status} when 'FILTERED_OUT' then (enum_range(null::filter_reason))[1] end`,
    processed_at: `case when ${callback_status} in ('PROCESSED', 'FAILED') then ${at} end`,
    received_at: at,
  },
  callback_match: {
    callback_id: `'cbk_' || lpad(n::text, 7, '0')`,
    agent_id: agent,
    result: mostly(
      `'NOT_MATCHED'::callback_match_result`,
      `(array['MATCHED', 'NOT_MATCHED'])[1 + ? % 2]::callback_match_result`,
    ),
    received_at: at,
  },
  agent_memory: {
    id: `'mem_' || lpad(n::text, 7, '0')`,
    state: ofEnum('memory_state', 'ACTIVE'),
    content: `'A memory'`,
    category: ofEnum('memory_category', 'SEMANTIC', 2),
    audiences: mostly(
      `array['TECHNICIANS']::memory_audience[]`,
      `array[(array['ALL', 'END_USERS', 'DISPATCH'])[1 + ? % 3]]::memory_audience[]`,
      3,
    ),
    scope_type: ofEnum('memory_scope_type', 'CLIENT', 5),
    scope_id: `(n % 50000)::text`,
    derivation: ofEnum('memory_derivation', 'OBSERVED', 7),
    confidence: mostly('0.5', '(? % 2)::float8'),
    created_by: ofEnum('memory_creator', 'AGENT', 11),
    // Those that a USER sees are rare.
    restricted_agent_ids: mostly('array[1]', `array[1 + ? % ${AGENTS}]`, 2),
    test_mode: mostly('false', '? % 2 = 0', 13),
    pinned_at: mostly('null', `(case ? % 2 when 0 then ${at} end)`, 17),
    created_at: at,
    updated_at: at,
  },
  til_request: {
    id: `'til_' || lpad(n::text, 7, '0')`,
    kind: til_kind,
    status: til_status,
    execution_id: `'exe_' || lpad((1 + n / 4)::text, 7, '0')`,
    agent_id: agent,
    title: `'A title'`,
    summary: `'A summary'`,
    allowed_decisions: `array[]::til_decision[]`,
    requested_by_type: `'AGENT'::til_requester_type`,
    requested_by_id: `'1'`,
    requested_by_name: `'Agent'`,
    risk: `'READ'::til_risk`,
    expires_at: at,
    created_at: at,
    updated_at: at,
    closed_at: `case when ${til_status} <> 'PENDING' then ${ended} end`,
  },
  til_request_technician: {
    til_request_id: `'til_' || lpad(n::text, 7, '0')`,
    technician_id: mostly('1 + n % 10', '11 + ? % 5'),
    agent_id: agent,
    status: til_status,
    kind: til_kind,
    list_position: `case when ${til_status} = 'PENDING' then extract(epoch from ${at})
      else 1000000000000 - extract(epoch from ${ended}) end`,
  },
  scheduled_work: {
    id: 'n',
    status: ofEnum('scheduled_work_status', 'COMPLETED'),
    scheduled_for: at,
    workflow_id: agent,
    ticket_id: `(n % 50000)::text`,
    created_by: `'Somebody'`,
    created_at: at,
    updated_at: at,
  },
  company_link: {
    system: mostly(`'HUDU'`, `(array['HUDU', 'IT_GLUE'])[1 + ? % 2]`),
    external_id: `'ext_' || lpad(n::text, 7, '0')`,
    external_name: `'Company ' || lpad(n::text, 7, '0')`,
    psa_company_id: mostly(`'psa_' || n`, `(case ? % 2 when 0 then 'psa_7' end)`),
    link_state: mostly(
      `'AUTO'::link_state`,
      `(case ? % 2 when 0 then (case ? % 4 when 0 then 'MANUAL' else 'AUTO' end) else 'UNMAPPED' end)::link_state`,
    ),
    confidence: mostly('1', '0.5'),
    created_at: at,
    updated_at: at,
  },
  end_user: {
    id: `'eus_' || lpad(n::text, 7, '0')`,
    psa_contact_id: `'con_' || lpad(n::text, 7, '0')`,
    name: `'Person ' || lpad(n::text, 7, '0')`,
    email: mostly(`n || '@acme.test'`, `(case ? % 2 when 0 then n || '@acme.test' end)`),
    end_company_id: `'cmp_' || n % 1000`,
    is_vip: mostly('false', '? % 2 = 0', 3),
    status: ofEnum('end_company_status', 'ACTIVE', 5),
    created_at: at,
    updated_at: at,
  },
  channel_install: {
    id: `'ins_' || lpad(n::text, 7, '0')`,
    channel_id: mostly(`'chn_1'`, `'chn_2'`),
    workplace_tenant_id: `'wpt_' || lpad(n::text, 7, '0')`,
    installed_at: at,
  },
  channel_message: {
    id: `'msg_' || lpad(n::text, 7, '0')`,
    channel_id: mostly(`'chn_1'`, `'chn_2'`),
    conversation_id: mostly(`'con_' || n % 3`, `'con_' || ? % 9`),
    author: `'PERSON'::message_author`,
    text: `'A message'`,
    status: `'ANSWERED'::message_status`,
    created_at: at,
    updated_at: at,
  },
  activity_entry: {
    id: `'act_' || lpad(n::text, 7, '0')`,
    occurred_at: at,
    action: mostly(`'agent.' || n % 40`, `'settings.' || ? % 3`),
    actor_type: mostly(`'USER'`, `(array['API_KEY', 'AGENT', 'SYSTEM'])[1 + ? % 3]`),
    actor_id: `'usr_' || n % 1000`,
    actor_name: `'Somebody'`,
    targets: mostly(
      `'[]'::jsonb`,
      `jsonb_build_array(jsonb_build_object('type', 'api_key', 'id', 'key_' || ?, 'name', 'Key'))`,
    ),
    context: `'{}'::jsonb`,
  },
}

const DEFINITIONS = `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
  from pg_index where indrelid = $1::regclass and not indisunique`

/** Adds the rows, and then makes the indexes that lists follow: searches have no part in this. */
async function fillTable(client: pg.Client, table: string, { tenant_id, environment }: Msp): Promise<void> {
  const columns = { ...TABLES[table] }
  const { rows } = await client.query<{ name: string; definition: string }>(DEFINITIONS, [table])
  for (const { name } of rows) await client.query(`drop index ${name}`)
  await client.query(
    `insert into ${table} (tenant_id, environment, ${Object.keys(columns).join(', ')})
     select $1, $2, ${Object.values(columns).join(', ')} from generate_series(1, ${ROWS}) n`,
    [tenant_id, environment],
  )
  for (const { definition } of rows) if (!definition.includes('gin_trgm_ops')) await client.query(definition)
  await client.query(`analyze ${table}`)
}

async function addFew(client: pg.Client, msp: Msp): Promise<void> {
  const { tenant_id, environment, user, viewer } = msp
  await client.query(
    `insert into agent (tenant_id, environment, id, name, state, autonomy_type, trigger_type, entity_type,
       agent_settings, created_by_name, created_by_user_id, created_at, updated_at)
     select $1, $2, n, 'Agent ' || n, 'ACTIVE', 'AGENTIC', 'TRIGGERED', 'TICKET', '{}', 'Somebody',
       case when n > ${AGENTS} then $4 when n > ${UNSEEN} then $3 end, now(), now()
     from generate_series(1, ${FEW.idle}) n`,
    [tenant_id, environment, user.id, viewer.id],
  )
  await client.query(
    `insert into end_company (tenant_id, environment, id, psa_company_id, name, created_at, updated_at)
     select $1, $2, 'cmp_' || n, 'psa_' || n, 'Company ' || n, now(), now() from generate_series(0, 999) n`,
    [tenant_id, environment],
  )
  await client.query(
    `insert into channel (tenant_id, environment, id, name, agent_id, transport, audience, display_name, created_at,
       updated_at)
     select $1, $2, 'chn_' || n, 'A channel', 1, 'WEB_CHAT', 'END_USERS', 'A channel', now(), now()
     from generate_series(1, 2) n`,
    [tenant_id, environment],
  )
}

/** So many tables are filled at a time. */
const AT_ONCE = 2

export async function fillTenant(url: string, msp: Msp): Promise<void> {
  const tables = Object.keys(TABLES).values()
  const fillTables = async (client: pg.Client): Promise<void> => {
    // Triggers and references cost more than the rows: the rows keep what they would have checked.
    await client.query(`set session_replication_role = replica; set synchronous_commit = off`)
    await client.query(`set maintenance_work_mem = '256MB'; set max_parallel_maintenance_workers = 0`)
    for (const table of tables) await fillTable(client, table, msp)
  }
  await connected(url, (client) => addFew(client, msp))
  await Promise.all(Array.from({ length: AT_ONCE }, () => connected(url, fillTables)))
}

async function connected(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
