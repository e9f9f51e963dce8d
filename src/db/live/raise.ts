/** Raising events: rows of the outbox, written in the transaction of what they tell of. */
import { type DatabaseContext, scopedInsert, sql } from '../db.ts'
import type { Statement } from '../sql.ts'

/** An event as it is written. Only declarations make them (`src/schema/events/declare.ts`). */
export interface RaisedEvent {
  type: string
  /** The id of the thing that it is about, as text. */
  entity_id: string
  /** The agent that the thing belongs to. */
  agent_id: number | null
  data: object
}

const COLUMNS = 'tenant_id, environment, transaction_id, type, event_id, entity_id, agent_id, at, data'

/** SQL: true. If the tenant and environment have followers, the commit notifies them: `tell_followers` without a call. */
const told = (tenant_id: string, environment: string): string =>
  `case when exists (
     select from live_follower f where f.tenant_id = ${tenant_id} and f.environment = ${environment}
       and f.expires_at > clock_timestamp()
   ) then pg_notify('live_event', jsonb_build_array(${tenant_id}::text, ${environment}::text)::text)::text is not null
   else true end`

/** The insert of the events in a JSON parameter; `from` joins their rows `e`. */
export const raisedBy = (
  parameter: string,
  { entity_id = 'e.entity_id', agent_id = 'e.agent_id', data = 'e.data', from = '', only_if = 'true' } = {},
): string =>
  `insert into live_event (${COLUMNS})
   select $1, $2, pg_current_xact_id()::text::bigint, e.type, new_event_id(), ${entity_id}, ${agent_id}, now(), ${data}
   from jsonb_to_recordset(${parameter}::jsonb) as e (type text, entity_id text, agent_id int, data jsonb)${from}
   where ${told('$1', '$2')} and ${only_if}`

interface RaisedRows {
  /** SQL of the type, such as `'channel.error'`. */
  type: string
  /** SQL of the id of the thing that each event is about. */
  entity_id: string
  agent_id?: string
  /** SQL of each member of the data that the type declares, or of the whole data. */
  data: Readonly<Record<string, string>> | string
  /** The rows: all that follows `select …`. */
  from: string
  /** SQL of the tenant and the environment, if the statement spans tenants. */
  tenancy?: readonly [string, string]
}

/**
 * The insert of an event for each row of a write, as a part of its statement: of writes in bulk, and of those that span
 * tenants.
 */
export const raisedFrom = ({
  type,
  entity_id,
  agent_id = 'null::int',
  data,
  from,
  tenancy = ['$1', '$2'],
}: RaisedRows): string => {
  const members = Object.entries(data).map(([name, text]) => `'${name}', ${text}`)
  const whole = typeof data === 'string' ? data : `jsonb_build_object(${members.join(', ')})`
  const rows = `select ${tenancy.join(', ')}, pg_current_xact_id()::text::bigint, ${type}, new_event_id(),
    (${entity_id})::text, ${agent_id}, now(), ${whole} ${from}`
  const [tenant_id, environment] = tenancy[0].startsWith('$') ? tenancy : ['r.tenant_id', 'r.environment']
  return `insert into live_event (${COLUMNS})
   select r.* from (${rows}) r (${COLUMNS}) where ${told(tenant_id, environment)}`
}

/**
 * The insert of rows of a tenant, which returns them, and of the events in the parameter after its own, `$next`, in one
 * statement. If the insert stores nothing, no event is raised.
 */
export const raisingInsert = (name: string, text: string, next: number): Statement => ({
  ...scopedInsert(name, text),
  text: `with written as (${text}), raised as (${raisedBy(`$${next}`, { only_if: 'exists (select from written)' })})
    select * from written`,
})

const RAISE = scopedInsert('events.raise', raisedBy('$3'))

/**
 * Raises events of which nothing else of the transaction is recorded, in one statement. The change of a caller raises its
 * events with its activity, in no statement of their own.
 */
export async function raise(ctx: DatabaseContext, events: readonly RaisedEvent[]): Promise<void> {
  if (events.length > 0) await sql(ctx, RAISE, [JSON.stringify(events)])
}
