/** Sending messages. */
import { scope } from '../../access/policies/policies.ts'
import { bodyProblem, invalid } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { refuseSecrets } from '../../gateway/refuse-secrets.ts'
import { newId } from '../../lib/ids.ts'
import { builder } from '../../schema/builder.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { postToPerson, tellingChannel } from '../channels/index.ts'
import { area } from '../inbox/index.ts'
import { storedText } from './feedback-links.ts'
import { CommsMedium, CommsRecipientType, type MessageRow } from './message.ts'
import { MESSAGE } from './queries.ts'
import type { Recipient, RecipientKey } from './recipients.ts'
import { draftProblems } from './rules.ts'
import {
  checkPsaConnected,
  checkSendsMails,
  enqueueNote,
  mailTo,
  noAddress,
  requireRecipient,
} from './sending.ts'

const CommsRecipientInput = builder.inputType('CommsRecipientInput', {
  description: 'The person whom a message is to. Their address is the one that the service knows.',
  fields: (t) => ({
    type: t.field({ type: CommsRecipientType, required: true, description: 'The kind of person.' }),
    id: t.id({
      required: true,
      min_length: 1,
      max_length: 200,
      description: 'The `id` of an ACTIVE end user, or of a technician.',
    }),
  }),
})

const CommsMessageDraft = builder.inputType('CommsMessageDraft', {
  description: 'The message to send. A field that its medium does not take is refused.',
  fields: (t) => ({
    medium: t.field({ type: CommsMedium, required: true, description: 'The way of the message.' }),
    ticket_id: t.id({
      nullable: true,
      min_length: 1,
      max_length: 200,
      description:
        'The id of the ticket in the PSA. TICKET_NOTE needs it; an EMAIL has it for reference alone; CHAT takes none.',
    }),
    channel_id: t.id({
      nullable: true,
      min_length: 1,
      max_length: 200,
      description: 'The channel, for CHAT alone, which needs it: an ACTIVE one whose agent you see.',
    }),
    recipient: t.field({
      type: CommsRecipientInput,
      nullable: true,
      description:
        'The person. EMAIL and CHAT need one; a TICKET_NOTE takes none, since the contact of the ticket reads it.',
    }),
    subject: t.string({
      nullable: true,
      min_length: 1,
      max_length: 200,
      description: 'The subject of an EMAIL, which needs one; others take none. It holds no secret.',
    }),
    body: t.string({
      required: true,
      min_length: 1,
      max_length: 20_000,
      description:
        'The text. It holds no secret. The address of a feedback link is sent as it is; of an EMAIL or TICKET_NOTE it is stored as `[feedback link]`.',
    }),
  }),
})

type Values = Partial<
  Pick<
    MessageRow,
    'status' | 'error' | 'address' | 'sent_at' | 'channel_id' | 'conversation_id' | 'agent_id' | 'source_id'
  >
> &
  Pick<MessageRow, 'status'>

const columnsOf = ({ type, id, name }: Recipient) => ({
  recipient_type: type,
  recipient_id: id,
  recipient_name: name,
  end_user_id: type === 'END_USER' ? id : null,
})

/** The message in the latest conversation of the person on the channel. */
async function chatWith(
  ctx: Context,
  channel_id: string,
  recipient: Recipient,
  body: string,
): Promise<Values> {
  const channel = await tellingChannel(ctx, channel_id)
  if (!channel) throw invalid([bodyProblem('channel_id', 'unknown', 'is no channel that you see')])
  // Contract silent: chat platforms name technicians by ids that the service does not know, so that they have no conversation.
  const posted = recipient.type === 'END_USER' ? await postToPerson(ctx, channel, recipient.id, body) : null
  if (!posted) throw noAddress('has no conversation on the channel')
  const { message_id: source_id, conversation_id, is_sent } = posted
  const place = { channel_id, conversation_id, agent_id: channel.agent_id, source_id }
  return is_sent ? { ...place, status: 'DELIVERED', sent_at: ctx.now } : { ...place, status: 'QUEUED' }
}

interface Checked {
  medium: 'TICKET_NOTE' | 'EMAIL' | 'CHAT'
  channel_id: string | null
  key: RecipientKey | null
  body: string
}

/** The recipient and how the message goes on its way, by its medium. */
async function sent(ctx: Context, id: string, { medium, channel_id, key, body }: Checked) {
  if (medium === 'TICKET_NOTE' || key === null) {
    await checkPsaConnected(ctx)
    await enqueueNote(ctx, id)
    return { status: 'QUEUED' as const }
  }
  if (medium === 'EMAIL') checkSendsMails(ctx)
  const recipient = await requireRecipient(ctx, key)
  const values =
    medium === 'EMAIL'
      ? await mailTo(ctx, id, recipient)
      : await chatWith(ctx, channel_id ?? '', recipient, body)
  return { ...columnsOf(recipient), ...values }
}

onTable(area, MESSAGE).create('send_comms_message', {
  description:
    'Sends a message to a person outside the service. It is QUEUED, and goes in a moment: `status` and `error` tell what became ' +
    'of it. An EMAIL ends SENT, a TICKET_NOTE and a CHAT end DELIVERED. A mail to an address that refused one for good in the ' +
    'last 30 days is SUPPRESSED at once. Nobody is written to twice for one `Idempotency-Key`. 422 `recipient` with the code ' +
    '`no_address`: the person has no e-mail address, or no conversation on the channel.',
  rest: { method: 'POST', path: '/comms/messages' },
  access: scope('comms:write'),
  errors: [
    'secret_in_content',
    'channel_not_active',
    'integration_not_connected',
    'email_not_configured',
    'upstream_unavailable',
  ],
  input: CommsMessageDraft,
  async values(
    ctx,
    { medium, ticket_id = null, channel_id = null, recipient: key = null, subject = null, body },
  ) {
    const problems = draftProblems({ medium, ticket_id, channel_id, recipient: key, subject })
    if (problems.length > 0) throw invalid(problems)
    refuseSecrets({ subject, body })
    const id = newId('cms')
    const message = await sent(ctx, id, { medium, channel_id, key, body })
    const text = storedText(ctx.services, body)
    return { id, direction: 'OUTBOUND', medium, ticket_id, subject, ...text, ...message }
  },
})
