/** The address to which a system sends its events. */
import { INGEST_PATH } from '../../../lib/api.ts'
import type { SecretBox } from '../../../lib/secret-box.ts'
import { type Place, placeOf } from '../credentials.ts'

interface Receiving {
  connection_id: string
  /** Encrypted. */
  ingest_secret: string
}

/**
 * The address of the connection. Its secret is a parameter, since some systems take an address and nothing else, and so
 * that what is written down of requests without their query has no secret.
 */
export const ingestUrl = (
  { public_url, secret_box }: { public_url: string; secret_box: SecretBox },
  place: Place,
  { connection_id, ingest_secret }: Receiving,
): string => {
  const url = new URL(`${public_url}${INGEST_PATH}${connection_id}`)
  url.searchParams.set('secret', secret_box.decrypt(ingest_secret, placeOf(place, 'ingest_secret')))
  return url.href
}
