/** A tenant with many rows in every list that grows: nearly all are alike, and what differs is old. */
import type pg from 'pg'
import type { Msp } from '../setup/world.ts'

export const ROWS = 300_000
/** The oldest rows, which have every value. */
const DIFFERENT = 300
/** The agents, of which a USER sees all but the first few. */
export const AGENTS = 300
const UNSEEN = 20

/** The common value, and any of the values in old rows: every value of the enumeration, if there is one. */
const mostly = (common: string, others: string, step = 1): string =>
  `case when n <= ${ROWS - DIFFERENT} then ${common} else ${others.replaceAll('?', `(n / ${step})`)} end`

const ofEnum = (type: string, common: string, step = 1): string =>
  mostly(
    `'${common}'::${type}`,
    `(enum_range(null::${type}))[1 + ? % cardinality(enum_range(null::${type}))]`,
    step,
  )

const at = `now() - interval '5 seconds' * n`
/** Agents that the USER does not see have the rare rows. */
const agent = mostly(`1 + n % ${AGENTS}`, `1 + ? % ${UNSEEN}`)

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
    updated_at: at,
    finished_at: at,
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
  for (const { definition } of rows)
    if (!definition.includes('gin_trgm_ops')) await client.query(definition)
}

export async function fillTenant(client: pg.Client, msp: Msp): Promise<void> {
  const { tenant_id, environment, user } = msp
  await client.query(
    `insert into agent (tenant_id, environment, id, name, state, autonomy_type, trigger_type, entity_type,
       agent_settings, created_by_name, created_by_user_id, created_at, updated_at)
     select $1, $2, n, 'Agent ' || n, 'ACTIVE', 'AGENTIC', 'TRIGGERED', 'TICKET', '{}', 'Somebody',
       case when n > ${UNSEEN} then $3 end, now(), now() from generate_series(1, ${AGENTS}) n`,
    [tenant_id, environment, user.id],
  )
  // Triggers and references cost more than the rows: the rows keep what they would have checked.
  await client.query(`set session_replication_role = replica; set synchronous_commit = off`)
  await client.query(`set maintenance_work_mem = '256MB'`)
  for (const table of Object.keys(TABLES)) await fillTable(client, table, msp)
  await client.query('vacuum analyze')
}
