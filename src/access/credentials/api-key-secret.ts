/** The secret of a service account: `svc_sk_<env>_`, 40 random characters, six of checksum. */
import { createHmac } from 'node:crypto'
import { type ByteSource, checksum, randomBase62 } from '../../lib/base62.ts'

const SECRET = /^svc_sk_([a-z0-9]+(?:-[a-z0-9]+)*)_[0-9A-Za-z]{46}$/
const CHECKSUM_LENGTH = 6

/** A new secret, which is shown once and never stored. */
export function newSecret(environment: string, bytes?: ByteSource): string {
  const text = `svc_sk_${environment}_${randomBase62(40, bytes)}`
  return text + checksum(text)
}

/** The environment the secret names, or null if its form or its checksum is wrong. */
export function parseSecret(text: string): { environment: string } | null {
  const environment = SECRET.exec(text)?.[1]
  if (environment === undefined) return null
  const intact = checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH)
  return intact ? { environment } : null
}

/** The secrets under which keys are hashed: the first hashes, all verify. */
export type Peppers = readonly [string, ...string[]]

/** The hash under which a key is stored and looked up. */
export const hashSecret = (pepper: string, text: string): Buffer<ArrayBuffer> =>
  createHmac('sha256', pepper).update(text).digest()

const PEPPER_ID_CHARACTERS = 4

/** Tells the peppers of an installation apart, and is too short to tell whether a guess at one is right. */
export const pepperId = (pepper: string): string =>
  createHmac('sha256', pepper).update('pepper id').digest('hex').slice(0, PEPPER_ID_CHARACTERS)

/** The visible start: `svc_sk_<env>_` and six characters. */
export const prefixOf = (secret: string): string => secret.slice(0, secret.lastIndexOf('_') + 7)

/** The last four characters. */
export const lastFourOf = (secret: string): string => secret.slice(-4)
