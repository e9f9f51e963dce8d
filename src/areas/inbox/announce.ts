/** Announcements of the operator to every user of a tenant. */
import { createHash } from 'node:crypto'
import { type ItemsContext, storeItems } from './follow.ts'

interface Announcement {
  title: string
  body: string
}

/**
 * Puts the announcement into the inbox of every user who takes announcements and has not got it, and returns how many these are. The
 * same words on one day are one announcement: a command that failed can be repeated.
 */
export async function announce(
  ctx: ItemsContext,
  { title, body }: Announcement,
): Promise<{ announcement_id: string; users: number }> {
  const day = ctx.now.toISOString().slice(0, 10)
  const hash = createHash('sha256')
    .update(JSON.stringify([day, title, body]))
    .digest('hex')
  const announcement_id = `ann_${hash.slice(0, 22)}`
  const users = await storeItems(ctx, [
    {
      kind: 'ANNOUNCEMENT',
      cause: announcement_id,
      severity: 'INFO',
      title,
      body,
      subject_type: 'NONE',
      subject_id: null,
      action_required: false,
      audience: { to: 'EVERYBODY' },
      count: 0,
      first_at: ctx.now,
      last_at: ctx.now,
      agent_ids: [],
      entity_numbers: [],
      waits_on: null,
      over_at: null,
    },
  ])
  return { announcement_id, users }
}
