/** Verification of signed JWTs, whoever issued them. */
import { type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { refusedToken } from './credential.ts'

interface Expected {
  /** The issuer's keys: `remoteKeys` or `fixedKeys`. */
  keys: JWTVerifyGetKey
  /** Left out where it depends on other claims: the caller compares it. */
  issuer?: string
  audience: string
  claims: readonly string[]
}

const CLOCK_TOLERANCE_SECONDS = 60

/** The claims of a token whose signature, issuer, audience and times are good; an error of `jose` for another one. */
export async function verifiedClaims(
  token: string,
  { keys, issuer, audience, claims }: Expected,
  now: Date,
): Promise<JWTPayload> {
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    algorithms: ['RS256', 'ES256'],
    ...(issuer !== undefined && { issuer }),
    audience,
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    requiredClaims: ['exp', ...claims],
    currentDate: now,
  })
  if (protectedHeader.crit) throw refusedToken('invalid_credentials')
  return payload
}
