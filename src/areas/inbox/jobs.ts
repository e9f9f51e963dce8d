/** The loops and the jobs of inboxes. */
import { tenantJob } from '../../jobs/job.ts'
import type { Loop } from '../../jobs/loop.ts'
import { retentionJob } from '../../jobs/retention.ts'
import { MAIL_ITEM } from './declared.ts'
import { followEvents } from './follow.ts'
import { ATTEMPTS, giveUpMail, mailItem } from './mail.ts'
import { tidy } from './store.ts'

export const followInboxes: Loop = {
  name: 'inbox.follow',
  interval_ms: 2_000,
  run: followEvents,
}

export const tidyInboxes: Loop = {
  name: 'inbox.tidy',
  interval_ms: 20_000,
  run: tidy,
}

/** Mails an item to its user: it waits for the server, and is tried for an hour. */
export const sendItemMail = tenantJob({
  ...MAIL_ITEM,
  transaction: false,
  waits: true,
  concurrency: 10,
  concurrency_of_tenant: 5,
  // The server has a minute for a mail.
  timeout_seconds: 120,
  retries: ATTEMPTS - 1,
  retry_delay_seconds: 15,
  handler: mailItem,
  onGivenUp: giveUpMail,
})

/** Deletes the items that are no longer kept. */
export const deleteOldItems = retentionJob({
  name: 'inbox.delete_old_items',
  table: 'inbox_item',
  time: 'last_at',
  days: 400,
})
