/** Notes of messages on tickets: one write each, whose key stays the same at every attempt and retry. */
import { PortRefusal } from '../../connectors/port.ts'
import { psaOf } from '../../connectors/psa.ts'
import { type DatabaseContext, db, scoped, sql, tenancyOf } from '../../db/db.ts'
import { ApiError } from '../../errors/errors.ts'
import type { Services } from '../../gateway/context.ts'
import { JobReleased } from '../../jobs/attempt.ts'
import type { UnboundJobContext } from '../../jobs/job.ts'
import type { OwnWrite } from '../callbacks/index.ts'
import { tenantName } from '../tenant/index.ts'
import { sentText, sentTexts, type WithLink } from './feedback-links.ts'
import { endMessage, type Payload } from './mail.ts'
import type { MessageRow } from './message.ts'

/** Attempts at one note: outages of a PSA last minutes, and it is asked for 34 of them. */
export const NOTE_ATTEMPTS = 11

const DELIVERED = scoped(
  'comms.note_delivered',
  `update comms_message m
   set status = 'DELIVERED', error = null, sent_at = $4::timestamptz, updated_at = $4::timestamptz
   where m.tenant_id = $1 and m.environment = $2 and m.id = $3::text and m.status = 'QUEUED'`,
)

/** The PSA answers a repeated write with the note that the first one made: the key is the message, at every attempt. */
async function write(ctx: UnboundJobContext, message: MessageRow, ticket_id: string) {
  // An earlier attempt may have made the note a moment ago.
  const psa = psaOf({ ...ctx, fresh: true })
  // Contract silent: customers read the note as one of the MSP, whoever of its people or keys sent it.
  const author_name = (await tenantName(ctx)) ?? tenancyOf(ctx).tenant_id
  const text = sentText(ctx.services, message)
  await psa.addNote(ticket_id, { author_name, is_internal: false, text }, message.id)
}

/** Writes the note of the message. One that the PSA refuses is not tried again by itself. */
export async function addNote(ctx: UnboundJobContext, payload: Payload): Promise<void> {
  const { message_id: id } = payload
  const where = { id, medium: 'TICKET_NOTE', status: 'QUEUED' } as const
  const message = await db(ctx).commsMessage.findFirst({ where })
  if (!message || message.ticket_id === null) return
  try {
    await write(ctx, message, message.ticket_id)
  } catch (error) {
    if (error instanceof PortRefusal) {
      ctx.log.warn({ message_id: id, reason: error.reason }, 'the note of a message was not written')
      const failure = error.reason === 'TICKET_NOT_FOUND' ? 'ticket_not_found' : 'note_refused'
      return await endMessage(ctx, payload, failure)
    }
    const is_released = ctx.signal.reason instanceof JobReleased
    const is_outage = error instanceof ApiError && error.code === 'upstream_unavailable'
    if (ctx.attempt >= NOTE_ATTEMPTS && !is_released)
      await endMessage(ctx, payload, is_outage ? 'server_unreachable' : 'internal_error')
    throw error
  }
  ctx.now = ctx.services.now()
  await ctx.commit(() => sql(ctx, DELIVERED, [id, ctx.now]))
}

// A note is tried for about 40 minutes after it was sent, or sent again. One that was made was so when it was DELIVERED.
const NOTES = scoped(
  'comms.notes_of_ticket',
  `select m.body, m.feedback_id, m.feedback_expires_at from comms_message m
   where m.tenant_id = $1 and m.environment = $2 and m.ticket_id = $3::text and m.medium = 'TICKET_NOTE'
     and m.direction = 'OUTBOUND' and (m.source_id is null or m.feedback_id is not null)
     and m.updated_at >= $4::timestamptz - interval '1 hour'
     and (m.status <> 'DELIVERED' or m.updated_at >= $4::timestamptz)
   order by m.created_at desc limit 50`,
)

/** The notes of messages on the ticket since then, if they were made or may have been, as the writes of tools. */
export async function notesOfTicketSince(
  ctx: DatabaseContext & { services: Pick<Services, 'signing_secrets' | 'public_url'> },
  ticket_id: string,
  since: Date,
): Promise<OwnWrite[]> {
  const rows = await sql<WithLink>(ctx, NOTES, [ticket_id, since])
  // The id of the note is not stored: its text tells it.
  const texts = rows.flatMap((row) => sentTexts(ctx.services, row))
  return texts.map((text) => ({ tool_name: 'ticket.add_note', arguments: { text }, result: null }))
}
