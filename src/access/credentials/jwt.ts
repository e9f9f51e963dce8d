/** Verification of signed JWTs of every issuer. */
import { type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { refusedToken } from './credential.ts'

interface Expected {
  /** The issuer's keys: `remoteKeys` or `fixedKeys`. */
  keys: JWTVerifyGetKey
  /** Left out if it depends on other claims: the caller compares it. */
  issuer?: string
  audience: string
  claims: readonly string[]
  /** The oldest that a token may be, and the longest that it may be valid for. */
  max_age_seconds: number
}

const CLOCK_TOLERANCE_SECONDS = 60

/**
 * The claims of a token whose signature, issuer, audience and times are good; an error of `jose`, or 401, for another one.
 * A token says by `iat` how old it is: one that does not is refused.
 */
export async function verifiedClaims(
  token: string,
  { keys, issuer, audience, claims, max_age_seconds }: Expected,
  now: Date,
): Promise<JWTPayload> {
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    algorithms: ['RS256', 'ES256'],
    ...(issuer !== undefined && { issuer }),
    audience,
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    requiredClaims: ['exp', ...claims],
    maxTokenAge: max_age_seconds,
    currentDate: now,
  })
  if (protectedHeader.crit) throw refusedToken('invalid_credentials')
  if ((payload.exp ?? Number.POSITIVE_INFINITY) - (payload.iat ?? 0) > max_age_seconds)
    throw refusedToken('invalid_credentials', {
      message: `The token is valid for longer than ${max_age_seconds} seconds.`,
    })
  return payload
}
