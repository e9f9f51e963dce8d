/** The conditions under which a message is sent, by its medium: the same at first and at a retry. */
import type { DatabaseContext } from '../../db/db.ts'
import { ApiError, bodyProblem, invalid } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { type EnqueueContext, enqueue } from '../../jobs/enqueue.ts'
import { connectedSystems, REGISTRY } from '../integrations/index.ts'
import { readPsaType } from '../tenant/index.ts'
import { hasBounced } from './bounces.ts'
import { ADD_NOTE, SEND_MAIL } from './declared.ts'
import type { MessageRow } from './message.ts'
import { addressOf, type Recipient, type RecipientKey, recipientOf } from './recipients.ts'

const PSAS = REGISTRY.filter(({ category }) => category === 'PSA')

/** 409 if the tenant has connected no PSA. */
export async function checkPsaConnected(ctx: Context): Promise<void> {
  const connected = await connectedSystems(ctx)
  if (PSAS.some(({ system }) => connected.has(system))) return
  // Contract silent: the refusal names the PSA that the tenant has chosen, or else the first that there is.
  const psa_type = await readPsaType(ctx)
  const { name } = PSAS.find(({ system }) => system === psa_type) ?? (PSAS[0] as (typeof PSAS)[number])
  throw new ApiError('integration_not_connected', { details: { name } })
}

/** 409 if the service has no mail server. */
export function checkSendsMails({ services }: Context): void {
  if (!services.mail) throw new ApiError('email_not_configured')
}

/** The person; 422 if there is none. */
export async function requireRecipient(ctx: Context, key: RecipientKey): Promise<Recipient> {
  const recipient = await recipientOf(ctx, key)
  if (recipient) return recipient
  const message = key.type === 'END_USER' ? 'is no active end user' : 'is not a technician of the tenant'
  throw invalid([bodyProblem('recipient', 'unknown', message)])
}

/** 422: the person cannot be reached in this way. */
export const noAddress = (message: string) => invalid([bodyProblem('recipient', 'no_address', message)])

type Mailed = Pick<MessageRow, 'status' | 'error' | 'address'>

export type SendingContext = DatabaseContext & EnqueueContext & { now: Date }

/** The mail to the address: QUEUED with its job, or SUPPRESSED if the address bounced. */
export async function queueMail(ctx: SendingContext, message_id: string, address: string): Promise<Mailed> {
  if (await hasBounced(ctx, address)) return { status: 'SUPPRESSED', error: 'address_refused', address }
  await enqueue(ctx, SEND_MAIL, { message_id })
  return { status: 'QUEUED', error: null, address }
}

/** The mail to the person: QUEUED with its job, or SUPPRESSED; 422 if the person has no address. */
export async function mailTo(ctx: Context, message_id: string, recipient: Recipient): Promise<Mailed> {
  const address = await addressOf(ctx, recipient)
  if (address === null || address.trim() === '') throw noAddress('has no e-mail address')
  return await queueMail(ctx, message_id, address)
}

/** The job of the note. */
export const enqueueNote = (ctx: EnqueueContext, message_id: string) => enqueue(ctx, ADD_NOTE, { message_id })
