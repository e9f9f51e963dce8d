/** Rows of inboxes. The service of these tests has no mail server. */
import { addEvents } from '../../setup/events.ts'
import type { Msp } from '../../setup/world.ts'
import { ago, at, type Rows } from './rows.ts'

/** An item of a user of its own. */
async function addItem(msp: Msp, id: string, more: object = {}): Promise<void> {
  const words = { title: 'Something', severity: 'INFO', kind: 'ANNOUNCEMENT', cause: id } as const
  const created = { created_at: ago(1), updated_at: ago(1) }
  const times = { first_at: ago(1), last_at: ago(1), unread_at: ago(1), updated_at: ago(1) }
  const rest = { subject_type: 'NONE', action_required: false, occurrence_count: 1 } as const
  const { tenantUser, inboxItem } = msp.database.prisma
  const user = { subject: id, name: id, email: `${id}@rows.test`, role: 'USER', ...created } as const
  await tenantUser.create({ data: { ...at(msp), id, ...user } })
  await inboxItem.create({
    data: { ...at(msp), id, user_id: id, ...words, ...times, ...rest, ...more },
  })
}

export const INBOXES: Record<string, Rows> = {
  'inbox.follow': {
    store: (msp) => addEvents(msp, [{ type: 'execution.started' }]),
    todo: `select 1 from inbox_cursor c join event_feed f using (tenant_id, environment)
      where c.environment = $1 and c.sequence < f.last_sequence`,
  },
  'inbox.tidy': {
    store: (msp) => addItem(msp, `inb_over_${msp.environment}`, { over_at: ago(1) }),
    todo: `select 1 from inbox_item where environment = $1 and id like 'inb_over_%' and not resolved`,
  },
  'inbox.mail_item': {
    async store(msp) {
      const asked = ago(1)
      const id = `inb_mail_${msp.environment}`
      // A worker was lost once the mail had begun.
      await addItem(msp, id, { mail_asked_at: asked, mail_began_at: asked })
      return { item_id: id, asked_at: asked.toISOString() }
    },
    todo: `select 1 from inbox_item where environment = $1 and id like 'inb_mail_%' and last_mailed_at is null`,
  },
}
