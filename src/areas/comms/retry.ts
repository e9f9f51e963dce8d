/** Sending a message again that could not be sent. */
import { scope } from '../../access/policies/policies.ts'
import { ApiError } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { checkIfMatch } from '../../gateway/entity-tags.ts'
import { builder } from '../../schema/builder.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { postAgain, tellingChannel } from '../channels/index.ts'
import { area } from '../inbox/index.ts'
import type { MessageRow } from './message.ts'
import { MESSAGE } from './queries.ts'
import { isRetryable } from './rules.ts'
import { checkPsaConnected, checkSendsMails, enqueueNote, mailTo, requireRecipient } from './sending.ts'

const CommsRetry = builder.inputType('CommsRetry', {
  description: 'How the message is sent again.',
  fields: (t) => ({
    confirm_duplicate: t.boolean({
      defaultValue: false,
      description:
        'true: a message with `outcome_unknown` is sent again, although its recipient may have it already. It has the same ' +
        '`Message-ID`.',
    }),
  }),
})

const notRetryable = ({ status }: Pick<MessageRow, 'status'>) =>
  new ApiError('message_not_retryable', { details: { status } })

type Values = Pick<MessageRow, 'status' | 'error'> & Partial<Pick<MessageRow, 'address' | 'recipient_name'>>

interface Again {
  values: Values
  /** Stores what is beside the message. */
  store?(): Promise<void>
}

const QUEUED: Values = { status: 'QUEUED', error: null }

/** The values with which the message goes on its way again. */
async function sentAgain(ctx: Context, message: MessageRow): Promise<Again> {
  const { id, medium, recipient_type: type, recipient_id } = message
  if (medium === 'EMAIL') {
    checkSendsMails(ctx)
    if (type === null || recipient_id === null) throw notRetryable(message)
    const recipient = await requireRecipient(ctx, { type, id: recipient_id })
    return { values: { ...(await mailTo(ctx, id, recipient)), recipient_name: recipient.name } }
  }
  if (medium === 'CHAT') {
    const channel = await tellingChannel(ctx, message.channel_id ?? '')
    if (!channel) throw notRetryable(message)
    return {
      values: QUEUED,
      // The message follows that of the chat, by a trigger: the change is one of the row as it was before.
      async store() {
        if (!(await postAgain(ctx, message.source_id ?? ''))) throw notRetryable(message)
      },
    }
  }
  await checkPsaConnected(ctx)
  await enqueueNote(ctx, id)
  return { values: QUEUED }
}

onTable(area, MESSAGE).change('retry_comms_message', {
  description:
    'Sends a FAILED message of `send_comms_message` again: it is QUEUED. The address is the one that its recipient has now; if ' +
    'that refused a mail for good in the last 30 days, the message becomes SUPPRESSED, which is final. A message with ' +
    '`outcome_unknown` may have arrived, and is sent again only with `confirm_duplicate: true`.',
  rest: { method: 'POST', path: '/comms/messages/{message_id}/retry' },
  access: scope('comms:write'),
  errors: [
    'message_not_retryable',
    'channel_not_active',
    'integration_not_connected',
    'email_not_configured',
    'upstream_unavailable',
  ],
  input: CommsRetry,
  input_required: false,
  async change(ctx, { id, input }) {
    const message = await MESSAGE.lock(ctx, id)
    checkIfMatch(ctx, MESSAGE.etag(message, ctx))
    if (!isRetryable(message, { confirm_duplicate: input?.confirm_duplicate ?? false }))
      throw notRetryable(message)
    const { values, store } = await sentAgain(ctx, message)
    const decide = () => ({ ...values, began_at: null })
    return { verb: 'retried', decide, ...(store && { beforeWrite: store }) }
  },
})
