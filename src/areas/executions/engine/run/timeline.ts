/** Writes the timeline of an execution. */
import { type DatabaseContext, scopedInsert, sql, sqlAndCommit } from '../../../../db/db.ts'
import { redact } from '../../../../gateway/redact.ts'
import { newId } from '../../../../lib/ids.ts'
import { storableText } from '../../../../lib/text.ts'
import type { Row } from '../../../../schema/models.ts'

export interface NewEvent extends Pick<Row<'TimelineEvent'>, 'kind'> {
  text?: string | null
  tool_call_id?: string | null
  til_request_id?: string | null
}

const INSERT = scopedInsert(
  'executions.record_events',
  `insert into timeline_event (tenant_id, environment, execution_id, temporal_run_id, at, sequence, id, kind, text,
     tool_call_id, til_request_id)
   select $1, $2, $3, $4, greatest($5::timestamptz, l.at), coalesce(l.sequence, 0) + n.position, n.event ->> 'id', (n.event ->> 'kind')::timeline_event_kind, n.event ->> 'text',
     n.event ->> 'tool_call_id', n.event ->> 'til_request_id'
   from jsonb_array_elements($6::jsonb) with ordinality as n (event, position)
   left join (
     select t.sequence, t.at from timeline_event t
     where t.tenant_id = $1 and t.environment = $2 and t.execution_id = $3
     order by t.sequence desc limit 1
   ) l on true`,
)

const MAX_CHARACTERS = 4000

const textOf = (text: string | null | undefined): string | null =>
  text ? storableText((redact(text) as string).slice(0, MAX_CHARACTERS)) : null

/** The run that events belong to, and the time. */
export interface EventContext extends DatabaseContext {
  now: Date
}

/**
 * Adds events to the timeline, in their order. The execution is locked, so that none gets a position twice. None is
 * earlier than the one before it, whatever the clocks of two processes say. `last`: nothing is read or written after it.
 */
export async function recordEvents(
  ctx: EventContext,
  { execution_id, temporal_run_id }: { execution_id: string; temporal_run_id: string },
  events: readonly NewEvent[],
  { last = false } = {},
): Promise<void> {
  if (events.length === 0) return
  const stored = events.map((event) => ({ ...event, id: newId('evt'), text: textOf(event.text) }))
  const send = last ? sqlAndCommit : sql
  await send(ctx, INSERT, [execution_id, temporal_run_id, ctx.now, JSON.stringify(stored)])
}
