/** The order of the instants in the rows of the demo. */
import type { Database } from '../../src/db/database.ts'
import { statement } from '../../src/db/sql.ts'

const COLUMNS = statement(
  'test.instants',
  `select c.table_name as of_table, c.column_name as name
   from information_schema.columns c
   join information_schema.tables t using (table_schema, table_name)
   where table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type like 'timestamp%'
     and c.table_name not like '\\_prisma%'
   order by 1, 2`,
)

/** The instants at which a row begins: of a table that has several, the first of these. */
const BEGINNINGS = [
  'created_at',
  'received_at',
  'occurred_at',
  'changed_at',
  'installed_at',
  'raised_at',
  'started_at',
  'sent_at',
  'at',
]

/** Instants of what was there before the row was. */
const EARLIER = [
  'callback.psa_changed_at',
  'comms_message.sent_at',
  'integration_sync.changed_since',
  'psa_time_entry.started_at',
  'ticket_repeat.previous_at',
  'ticket_repeat.agent_previous_at',
]

/** Instants of what is still to come. */
const LATER = [
  'api_key.expires_at',
  'api_key.sunset_at',
  'dispatch_decision.expires_at',
  'feedback_entry.expires_at',
  'scheduled_work.scheduled_for',
  'til_request.expires_at',
  'webhook_delivery.next_attempt_at',
]

const beginningAmong = (names: readonly string[]): string | undefined =>
  BEGINNINGS.find((name) => names.includes(name))

/** The instants that are before the beginning of their row, or after `now`: `agent.updated_at`. */
export async function misplacedInstants({ sql }: Database, now: Date): Promise<string[]> {
  const columns = await sql.rows<{ of_table: string; name: string }>(COLUMNS, [])
  const judged = [...Map.groupBy(columns, ({ of_table }) => of_table)].flatMap(([table, own]) => {
    const names = own.map(({ name }) => name)
    const beginning = beginningAmong(names)
    return names.map((name) => {
      const column = `${table}.${name}`
      const conditions = [
        ...(LATER.includes(column) ? [] : [`${name} > $1`]),
        ...(beginning && !EARLIER.includes(column) ? [`${name} < ${beginning}`] : []),
      ]
      return `select '${column}' as name where exists (select from ${table} where ${conditions.join(' or ')})`
    })
  })
  const found = await sql.rows<{ name: string }>(statement('test.misplaced', judged.join(' union all ')), [
    now,
  ])
  return found.map(({ name }) => name)
}

interface Reference {
  of_table: string
  to_table: string
  /** The columns of both, in one order. */
  columns: string[]
  to_columns: string[]
  condition?: string
}

const FOREIGN_KEYS = statement(
  'test.foreign_keys',
  `select conrelid::regclass::text as of_table, confrelid::regclass::text as to_table,
     array(select attname::text from unnest(conkey) with ordinality as k (number, place)
       join pg_attribute on attrelid = conrelid and attnum = number order by place) as columns,
     array(select attname::text from unnest(confkey) with ordinality as k (number, place)
       join pg_attribute on attrelid = confrelid and attnum = number order by place) as to_columns
   from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`,
)

/** What a column of this name refers to without a foreign key, in every table that has one. */
const REFERS_TO: Readonly<Record<string, string>> = {
  acting_user_id: 'tenant_user.id',
  actor_id: 'tenant_user.id',
  agent_id: 'agent.id',
  api_key_id: 'api_key.id',
  assignee_psa_id: 'technician_profile.psa_id',
  callback_id: 'callback.id',
  correlation_id: 'execution.execution_id',
  created_by_key_id: 'api_key.id',
  created_by_user_id: 'tenant_user.id',
  device_id: 'local_rmm_device.device_id',
  end_user_id: 'end_user.id',
  endpoint_id: 'webhook_endpoint.id',
  event_id: 'live_event.event_id',
  execution_id: 'execution.execution_id',
  initiating_temporal_run_id: 'execution_run.temporal_run_id',
  key_id: 'api_key.id',
  merged_into_ticket_id: 'psa_ticket.ticket_id',
  owner_user_id: 'tenant_user.id',
  psa_company_id: 'end_company.psa_company_id',
  reply_to_message_id: 'channel_message.id',
  requested_by_id: 'tenant_user.id',
  rotated_from_key_id: 'api_key.id',
  scope_id: 'end_company.id',
  supersedes_id: 'agent_memory.id',
  supervised_by_user_id: 'tenant_user.id',
  technician_id: 'technician_profile.id',
  technician_psa_id: 'technician_profile.psa_id',
  temporal_run_id: 'execution_run.temporal_run_id',
  ticket_id: 'psa_ticket.ticket_id',
  til_request_id: 'til_request.id',
  tool_call_id: 'audit_entry.id',
}

/** What `entity_id` refers to, by `entity_type`. */
const ENTITIES: Readonly<Record<string, string>> = {
  COMPANY: 'end_company.psa_company_id',
  CONTACT: 'psa_contact.contact_id',
  TICKET: 'psa_ticket.ticket_id',
  TIME_ENTRY: 'psa_time_entry.time_entry_id',
}

/** References that a row is given later, to what it led to. */
const GIVEN_LATER = ['callback_match.execution_id', 'scheduled_work.execution_id']

const ID_COLUMNS = statement(
  'test.id_columns',
  `select c.table_name as of_table, c.column_name as name
   from information_schema.columns c
   join information_schema.tables t using (table_schema, table_name)
   where table_schema = 'public' and table_type = 'BASE TABLE' and c.column_name like '%\\_id'
     and exists (select from information_schema.columns k where k.table_schema = 'public'
       and k.table_name = c.table_name and k.column_name = 'environment')
   order by 1, 2`,
)

const reference = (of_table: string, column: string, to: string, condition?: string): Reference => {
  const [to_table = '', to_column = ''] = to.split('.')
  return {
    of_table,
    to_table,
    columns: ['tenant_id', 'environment', column],
    to_columns: ['tenant_id', 'environment', to_column],
    ...(condition && { condition }),
  }
}

async function referencesIn({ sql }: Database): Promise<Reference[]> {
  const keys = await sql.rows<Omit<Reference, 'condition'>>(FOREIGN_KEYS, [])
  const columns = await sql.rows<{ of_table: string; name: string }>(ID_COLUMNS, [])
  const is_key = ({ of_table, name }: { of_table: string; name: string }) =>
    keys.some((key) => key.of_table === of_table && key.columns.includes(name))
  const named = columns.flatMap(({ of_table, name }) => {
    const to = REFERS_TO[name]
    if (!to || to === `${of_table}.${name}` || is_key({ of_table, name })) return []
    return GIVEN_LATER.includes(`${of_table}.${name}`) ? [] : [reference(of_table, name, to)]
  })
  const entities = ['callback', 'execution'].flatMap((of_table) =>
    Object.entries(ENTITIES).map(([type, to]) =>
      reference(of_table, 'entity_id', to, `f.entity_type::text = '${type}'`),
    ),
  )
  return [...keys, ...named, ...entities]
}

/** The references of rows that are older than the row they refer to, and how many references could be judged. */
export async function olderThanReferred(database: Database): Promise<{ found: string[]; judged: number }> {
  const instants = await database.sql.rows<{ of_table: string; name: string }>(COLUMNS, [])
  const beginningOf = (table: string) =>
    beginningAmong(instants.flatMap(({ of_table, name }) => (of_table === table ? [name] : [])))
  const judged = (await referencesIn(database)).flatMap(
    ({ of_table, to_table, columns, to_columns, condition = 'true' }) => {
      const [own, other] = [beginningOf(of_table), beginningOf(to_table)]
      if (!own || !other) return []
      const same = columns.map((column, index) => `f.${column} = t.${to_columns[index]}`)
      const conditions = [...same, condition, `f.${own} < t.${other}`].join(' and ')
      return `select '${of_table}.${columns.at(-1)} of ${to_table}' as name
        where exists (select from ${of_table} f join ${to_table} t on ${conditions})`
    },
  )
  const text = judged.join(' union all ')
  // Without statistics, the joins would be nested loops.
  await database.sql.rows(statement('test.analyze', 'analyze'), [])
  const found = await database.sql.rows<{ name: string }>(statement('test.older', text), [])
  return { found: found.map(({ name }) => name), judged: judged.length }
}
