/** Addresses of feedback forms that the service gave to nobody. */
import { createHmac } from 'node:crypto'

/** A link that the service made. */
interface Good {
  feedback_id: string
  expires: string
  signature: string
}

/** The parts that are sent in its place: the id is that of the link if it is left out. */
export interface Sent {
  id?: string
  expires?: string
  signature?: string
}

/** The signature as the documentation computes it. */
export const signBy = (secret: string, id: string, expires: string): string =>
  createHmac('sha256', secret).update(`v1\n/public-api/feedback/${id}\n${id}\n${expires}`).digest('base64url')

export const PAST = '1600000000'
export const FUTURE = '4000000000'

/** The case whose row the service looks for, which only the holder of the signing secret can send. */
export const UNKNOWN_ID_SIGNED = 'an unknown id with a right signature'

/** Wrong addresses, by what is wrong with them, for a link of the service with the signing secret. */
export function wrongAddresses(secret: string): Readonly<Record<string, (link: Good) => Sent>> {
  const signedWith =
    (expires: string) =>
    ({ feedback_id: id }: Good): Sent => ({ expires, signature: signBy(secret, id, expires) })
  return {
    'no parameter': () => ({}),
    'no signature': ({ expires }) => ({ expires }),
    'no expires': ({ signature }) => ({ signature }),
    'an empty signature': ({ expires }) => ({ expires, signature: '' }),
    'a signature of another length': ({ expires, signature }) => ({ expires, signature: signature.slice(1) }),
    'a signature that differs at its beginning': ({ expires, signature }) => ({
      expires,
      signature: (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1),
    }),
    'a signature that differs at its end': ({ expires, signature }) => ({
      expires,
      signature: signature.slice(0, -4) + (signature.endsWith('AAAA') ? 'BBBB' : 'AAAA'),
    }),
    'a signature by another secret': ({ feedback_id: id, expires }) => ({
      expires,
      signature: signBy('another secret', id, expires),
    }),
    'an unknown id with a wrong signature': ({ expires, signature }) => ({
      id: 'fb_unknown',
      expires,
      signature,
    }),
    [UNKNOWN_ID_SIGNED]: () => ({
      id: 'fb_unknown',
      expires: FUTURE,
      signature: signBy(secret, 'fb_unknown', FUTURE),
    }),
    'another end than the signed one': ({ signature }) => ({ expires: FUTURE, signature }),
    'an end in the past with a wrong signature': ({ signature }) => ({ expires: PAST, signature }),
    'a signed end that is no integer': signedWith('4e9'),
    'a signed end with a fraction': signedWith('4000000000.5'),
  }
}
