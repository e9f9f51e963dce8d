/** The replies of customers on tickets, as messages. */
import { type DatabaseContext, scopedInsert, sql } from '../../db/db.ts'
import { redact } from '../../gateway/redact.ts'
import { newId } from '../../lib/ids.ts'
import { storableText } from '../../lib/text.ts'
import type { CustomerReply } from '../callbacks/index.ts'

// Contract silent: of a longer note the first 20,000 characters are kept, as many as agents may write.
const MAX_CHARACTERS = 20_000

const KEEP = scopedInsert(
  'comms.keep_replies',
  `insert into comms_message (tenant_id, environment, id, direction, medium, status, recipient_type, recipient_id,
     recipient_name, end_user_id, body, ticket_id, source_id, sent_at, created_at, updated_at)
   select $1, $2, r.id, 'INBOUND', 'TICKET_NOTE', 'DELIVERED', 'END_USER', u.id, coalesce(u.name, r.author_name), u.id,
     r.text, r.ticket_id, r.source_id, r.sent_at, $3::timestamptz, $3::timestamptz
   from jsonb_to_recordset($4::jsonb) r (id text, contact_id text, author_name text, text text, ticket_id text,
     source_id text, sent_at timestamptz)
   left join end_user u on u.tenant_id = $1 and u.environment = $2 and u.psa_contact_id = r.contact_id
   on conflict do nothing`,
)

const bounded = (text: string): string => storableText((redact(text) as string).slice(0, MAX_CHARACTERS))

/** Keeps each reply as a message, once for each note. */
export async function keepReplies(
  ctx: DatabaseContext & { now: Date },
  replies: readonly CustomerReply[],
): Promise<void> {
  const rows = replies.map(({ note_id, text, author_name, created_at, ...reply }) => ({
    ...reply,
    id: newId('cms'),
    author_name: bounded(author_name),
    text: bounded(text),
    source_id: `TICKET/${reply.ticket_id}/${note_id}`,
    sent_at: created_at,
  }))
  await sql(ctx, KEEP, [ctx.now, JSON.stringify(rows)])
}
