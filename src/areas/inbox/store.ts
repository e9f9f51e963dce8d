/** Items in the database: each statement is of all items of a stretch of the feed. */
import { editableBy } from '../../access/policies/visibility.ts'
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import { statement } from '../../db/sql.ts'
import type { LoopContext } from '../../jobs/loop.ts'
import { hasReview } from '../company-links/index.ts'
import { MOST_AFFECTED, type Occurrence } from './rules/items.ts'
import type { Settlement } from './rules/settlements.ts'

/** An item is made UNREAD again at most once a minute. */
const UNREAD_AGAIN = "interval '1 minute'"

/** An item is mailed at most once an hour. */
export const MAILED_AGAIN = "interval '1 hour'"

const AUDIENCE = `case o.audience
    when 'EVERYBODY' then true
    when 'TECHNICIANS' then u.technician_profile_id = any(o.technician_ids)
    else u.role in ('OWNER', 'ADMIN') or o.audience = 'EDITORS' and exists (
      select from agent a
      where a.tenant_id = $1 and a.environment = $2 and a.id = o.agent_id and ${editableBy('u.id')})
  end`

const firstOf = (lists: string): string => `array(
  select x.value from unnest(${lists}) with ordinality as x (value, place) group by x.value order by min(x.place)
  limit ${MOST_AFFECTED})`

/** SQL: the user has read the open item `i`, and it happened again a minute or more after it became UNREAD. */
const IS_UNREAD_AGAIN = `i.state = 'READ' and i.unread_at <= excluded.updated_at - ${UNREAD_AGAIN}`

/** SQL: the user wants a mail of the open item `i`, which waits to be read. */
const IS_MAILED = `excluded.mail_asked_at is not null and (i.state = 'UNREAD' or ${IS_UNREAD_AGAIN})
  and i.mail_began_at is null
  and (i.mail_asked_at is null or i.mail_asked_at <= excluded.mail_asked_at - ${MAILED_AGAIN})`

const OPEN = scoped(
  'inbox.open',
  `with occurred as (
     select * from jsonb_to_recordset($3::jsonb) as o (kind inbox_kind, cause text, severity event_severity, title text,
       body text, subject_type inbox_subject_type, subject_id text, action_required boolean, audience text,
       technician_ids int[], agent_id int, count int, first_at timestamptz, last_at timestamptz, agent_ids int[],
       entity_numbers text[], waits_on text, over_at timestamptz)
   )
   insert into inbox_item as i (tenant_id, environment, id, user_id, kind, cause, severity, title, body, subject_type,
     subject_id, action_required, occurrence_count, first_at, last_at, affected_agent_ids, affected_entity_numbers,
     unread_at, mail_asked_at, waits_on, over_at, updated_at)
   select $1, $2, 'inb_' || substr(new_event_id(), 5), u.id, o.kind, o.cause, o.severity, o.title, o.body, o.subject_type,
     o.subject_id, o.action_required, greatest(o.count, 1), o.first_at, o.last_at, o.agent_ids, o.entity_numbers,
     $4::timestamptz, case when o.kind = any(p.mail_kinds) then $4::timestamptz end, o.waits_on, o.over_at,
     $4::timestamptz
   from occurred o
   join tenant_user u on u.tenant_id = $1 and u.environment = $2 and ${AUDIENCE}
   left join inbox_preferences p on p.tenant_id = $1 and p.environment = $2 and p.user_id = u.id
   where o.kind <> all(coalesce(p.quiet_kinds, '{}')) and (o.count > 0 or not exists (
     select from inbox_item x where x.tenant_id = $1 and x.environment = $2 and x.user_id = u.id and x.kind = o.kind
       and x.cause = o.cause and not x.resolved))
   order by u.id, o.kind, o.cause
   on conflict (tenant_id, environment, user_id, kind, cause) where not resolved and state <> 'ARCHIVED'
   do update set severity = excluded.severity, title = excluded.title, body = excluded.body,
     subject_id = excluded.subject_id, action_required = excluded.action_required,
     occurrence_count = i.occurrence_count + excluded.occurrence_count,
     last_at = greatest(i.last_at, excluded.last_at),
     affected_agent_ids = ${firstOf('i.affected_agent_ids || excluded.affected_agent_ids')},
     affected_entity_numbers = ${firstOf('i.affected_entity_numbers || excluded.affected_entity_numbers')},
     state = case when ${IS_UNREAD_AGAIN} then 'UNREAD' else i.state end,
     unread_at = case when ${IS_UNREAD_AGAIN} then excluded.updated_at else i.unread_at end,
     unread_due_at = case when i.state = 'READ' and not (${IS_UNREAD_AGAIN}) then i.unread_at + ${UNREAD_AGAIN} end,
     mail_asked_at = case when ${IS_MAILED} then excluded.mail_asked_at else i.mail_asked_at end,
     waits_on = coalesce(excluded.waits_on, i.waits_on), over_at = excluded.over_at, updated_at = excluded.updated_at
   returning i.id, i.mail_asked_at = $4::timestamptz as is_mailed`,
)

interface Opened {
  id: string
  /** true: the user wants a mail of it now. */
  is_mailed: boolean | null
}

const rowOf = ({ audience, ...occurrence }: Occurrence) => ({
  ...occurrence,
  audience: audience.to,
  technician_ids: audience.to === 'TECHNICIANS' ? audience.technician_ids : [],
  agent_id: audience.to === 'EDITORS' ? audience.agent_id : null,
})

/** Opens the items of the occurrences, of which no two have the same kind and cause, or joins them to those that are open. */
export async function openItems(
  ctx: DatabaseContext & { now: Date },
  occurrences: readonly Occurrence[],
): Promise<Opened[]> {
  if (occurrences.length === 0) return []
  return await sql<Opened>(ctx, OPEN, [JSON.stringify(occurrences.map(rowOf)), ctx.now])
}

const settles = (by: Settlement['by'], matches: string) =>
  scoped(
    `inbox.settle_by_${by.toLowerCase()}`,
    `update inbox_item i set resolved = true, updated_at = $4::timestamptz
     from jsonb_to_recordset($3::jsonb) as s (kind inbox_kind, value text, kept_user_id text,
       kept_technician_ids int[])
     where i.tenant_id = $1 and i.environment = $2 and not i.resolved and ${matches}`,
  )

const KEPT = `select u.id from tenant_user u where u.tenant_id = $1 and u.environment = $2
  and u.technician_profile_id = any(s.kept_technician_ids)`

const SETTLE = {
  CAUSE: settles(
    'CAUSE',
    `i.kind = s.kind and i.cause = s.value and i.user_id is distinct from s.kept_user_id and i.user_id not in (${KEPT})`,
  ),
  SUBJECT: settles('SUBJECT', 'i.kind = s.kind and i.subject_id = s.value'),
  WAITS_ON: settles('WAITS_ON', 'i.waits_on = s.value'),
  AGENT: settles('AGENT', "i.kind = 'EXECUTION_FAILED' and i.affected_agent_ids = array[s.value::int]"),
}

/** Resolves the items of these settlements. */
export async function settleItems(
  ctx: DatabaseContext & { now: Date },
  settlements: readonly Settlement[],
): Promise<void> {
  const ways = Map.groupBy(settlements, ({ by }) => by)
  for (const [by, of_way] of ways) await sql(ctx, SETTLE[by], [JSON.stringify(of_way), ctx.now])
}

/** A change of the items `i` of all tenants that the condition holds of, but for those that are changed at this moment. */
const due = (name: string, set: string, condition: string) =>
  statement(
    name,
    `with due as (
       select i.tenant_id, i.environment, i.id from inbox_item i where i.environment = $1 and ${condition}
       for update skip locked
     )
     update inbox_item i set ${set}, updated_at = $2::timestamptz
     from due where i.tenant_id = due.tenant_id and i.environment = due.environment and i.id = due.id`,
  )

const DUE = [
  due(
    'inbox.unread_again',
    `state = case when i.state = 'READ' and not i.resolved then 'UNREAD' else i.state end,
     unread_at = $2::timestamptz, unread_due_at = null`,
    'i.unread_due_at <= $2::timestamptz',
  ),
  due('inbox.settle_over', 'resolved = true', 'not i.resolved and i.over_at <= $2::timestamptz'),
  due(
    'inbox.settle_reviewed',
    'resolved = true',
    `not i.resolved and i.kind = 'COMPANY_LINK_REVIEW' and not ${hasReview('i', 'i.cause')}`,
  ),
]

/** Does what is due of all tenants: items that happened again become UNREAD, and what is over is resolved. */
export async function tidy({ services: { database, environment, now } }: LoopContext): Promise<void> {
  for (const statement of DUE) await database.sql.rows(statement, [environment, now()])
}
