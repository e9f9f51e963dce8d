/** The secrets of endpoints: they are stored encrypted, each for its place, and sign what is sent. */
import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import type { Tenancy } from '../../db/db.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import { OVERLAP_MS } from './rules.ts'

/** An endpoint of a tenant. */
export interface EndpointPlace extends Tenancy {
  id: string
}

type Column = 'secret' | 'previous_secret'

/** The place of every secret of the endpoint. A rotation moves the stored text from one column to the other. */
export const placeOf = ({ tenant_id, environment, id }: EndpointPlace): string[] => [
  tenant_id,
  environment,
  id,
  'webhook_secret',
]

const SECRET_BYTES = 32

/** A new secret, in the form of Standard Webhooks. */
export const newSecret = (bytes = randomBytes(SECRET_BYTES)): string => `whsec_${bytes.toString('base64')}`

export interface StoredSecrets extends Record<Column, string | null> {
  secret: string
  secret_rotated_at: Date | null
}

/** The secrets that sign at the instant, the present one first. */
export function signingSecrets(
  box: SecretBox,
  place: EndpointPlace,
  { secret, previous_secret, secret_rotated_at }: StoredSecrets,
  now: Date,
): string[] {
  const is_overlap = secret_rotated_at !== null && now.getTime() - secret_rotated_at.getTime() < OVERLAP_MS
  const stored = previous_secret !== null && is_overlap ? [secret, previous_secret] : [secret]
  return stored.map((text) => box.decrypt(text, placeOf(place)))
}

/** The headers of Standard Webhooks for the body, with a signature of each secret. */
export const signatureHeaders = (
  secrets: readonly string[],
  id: string,
  at: Date,
  body: string,
): Record<string, string> => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
})
