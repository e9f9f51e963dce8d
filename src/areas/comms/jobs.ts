/** The jobs of messages. */
import { tenantJob } from '../../jobs/job.ts'
import { retentionJob } from '../../jobs/retention.ts'
import { ADD_NOTE, SEND_MAIL } from './declared.ts'
import { ATTEMPTS, giveUpMessage, sendMail } from './mail.ts'
import { addNote, NOTE_ATTEMPTS } from './note.ts'
import { BOUNCE_DAYS } from './rules.ts'

/** Mails a message: it waits for the server, and is tried for an hour. */
export const sendCommsMail = tenantJob({
  ...SEND_MAIL,
  transaction: false,
  waits: true,
  concurrency: 10,
  concurrency_of_tenant: 5,
  // The server has a minute for a mail.
  timeout_seconds: 120,
  retries: ATTEMPTS - 1,
  retry_delay_seconds: 15,
  handler: sendMail,
  onGivenUp: giveUpMessage,
})

/** Writes a message on its ticket. */
export const addCommsNote = tenantJob({
  ...ADD_NOTE,
  transaction: false,
  waits: true,
  retries: NOTE_ATTEMPTS - 1,
  retry_delay_seconds: 2,
  timeout_seconds: 60,
  concurrency: 20,
  concurrency_of_tenant: 5,
  handler: addNote,
  onGivenUp: giveUpMessage,
})

/** Deletes the bounces that suppress no mail any more. */
export const deleteOldBounces = retentionJob({
  name: 'comms.delete_old_bounces',
  table: 'comms_bounce',
  key: ['address'],
  time: 'at',
  days: BOUNCE_DAYS,
})

/** Deletes the messages that are no longer kept. */
export const deleteOldMessages = retentionJob({
  name: 'comms.delete_old_messages',
  table: 'comms_message',
  time: 'created_at',
  days: 400,
})
