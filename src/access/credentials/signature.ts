/** Signatures of addresses that the service gives out. */
import crypto from 'node:crypto'

/** The signature of the text: base64url of its HMAC-SHA-256. */
export const signatureOf = (secret: string, text: string): string =>
  crypto.createHmac('sha256', secret).update(text).digest('base64url')

const digestOf = (text: string): Buffer => crypto.hash('sha256', text, 'buffer')

/**
 * True if the signature is one of the text, by any of the secrets. The given signature is compared with that of every secret,
 * by digests of one length, in constant time.
 */
export function isSigned(secrets: readonly string[], text: string, given: string): boolean {
  const presented = digestOf(given)
  let is_signed = false
  for (const secret of secrets) {
    const is_own = crypto.timingSafeEqual(digestOf(signatureOf(secret, text)), presented)
    is_signed ||= is_own
  }
  return is_signed
}
