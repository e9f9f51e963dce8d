/** An attempt to send an event to an endpoint. */
import { type DatabaseContext, tenancyOf } from '../../db/db.ts'
import type { Services } from '../../gateway/context.ts'
import { CannotDecrypt } from '../../lib/secret-box.ts'
import type { Attempt } from './delivery.ts'
import type { Outcome } from './rules.ts'
import { type EndpointPlace, type StoredSecrets, signatureHeaders, signingSecrets } from './secrets.ts'

type Sender = Pick<DatabaseContext, 'viewer'> & {
  services: Pick<Services, 'now' | 'post_webhook' | 'secret_box'>
}

/** An endpoint as it is sent to. */
export interface Receiver {
  place: EndpointPlace
  url: string
  /** The secrets that sign. null: no key decrypts them any more. */
  secrets: readonly string[] | null
}

/** The endpoint with its secrets of now in clear. */
export function receiverOf(ctx: Sender, stored: StoredSecrets & { id: string; url: string }): Receiver {
  const { tenant_id, environment } = tenancyOf(ctx)
  const { id, url } = stored
  const place = { tenant_id, environment, id }
  const { secret_box, now } = ctx.services
  try {
    return { place, url, secrets: signingSecrets(secret_box, place, stored, now()) }
  } catch (error) {
    if (!(error instanceof CannotDecrypt)) throw error
    return { place, url, secrets: null }
  }
}

export interface Made {
  attempt: Attempt
  outcome: Outcome
  /** The end of the attempt. */
  ended_at: Date
}

const UNREADABLE = { failure: 'UNREADABLE', message: 'The secret of the endpoint cannot be read: rotate it' }

/** Sends the body once, signed under the id of its event. */
export async function attempt(
  { services: { now, post_webhook } }: Sender,
  { place, url, secrets }: Receiver,
  event_id: string,
  body: string,
): Promise<Made> {
  const at = now()
  const headers = secrets && signatureHeaders(secrets, event_id, at, body)
  const answer = headers ? await post_webhook(place, url, { headers, body }) : UNREADABLE
  const ended_at = now()
  const made = { at: at.toISOString(), duration_ms: Math.max(0, ended_at.getTime() - at.getTime()) }
  if ('failure' in answer) {
    const outcome = { status_code: null, is_refused: answer.failure === 'ADDRESS_REFUSED' }
    const failed = { ...made, status_code: null, error: answer.message, response_excerpt: null }
    return { attempt: failed, outcome, ended_at }
  }
  const { status: status_code, retry_after_seconds, excerpt: response_excerpt } = answer
  return {
    attempt: { ...made, status_code, error: null, response_excerpt },
    outcome: { status_code, retry_after_seconds },
    ended_at,
  }
}
