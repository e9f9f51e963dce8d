/** Peppers, signing secrets and issuers: from the configuration, or generated on a developer's machine. */
import type { Logger } from 'pino'
import type { Peppers } from '../access/api-key-secret.ts'
import type { Issuer } from '../access/credential.ts'
import {
  DEVELOPMENT_AUDIENCE,
  DEVELOPMENT_ISSUER,
  type DevelopmentSecrets,
  developmentPublicJwk,
  developmentSecrets,
} from '../access/development-issuer.ts'
import type { Config } from '../config.ts'

export interface Secrets {
  key_peppers: Peppers
  signing_secrets: readonly string[]
  /** null in production. */
  development: DevelopmentSecrets | null
}

export async function readSecrets(config: Config, log: Logger): Promise<Secrets> {
  const { KEY_PEPPER, SIGNING_SECRETS, DATABASE_URL, DATA_DIR, ENVIRONMENT, production } = config
  const development = production ? null : await developmentSecrets(DATA_DIR, ENVIRONMENT)
  const [first, ...others] = KEY_PEPPER.length > 0 || !development ? KEY_PEPPER : [development.key_pepper]
  const made = development ? [development.signing_secret] : []
  const signing_secrets = SIGNING_SECRETS.length > 0 ? SIGNING_SECRETS : made
  if (first === undefined || signing_secrets.length === 0)
    throw new Error('KEY_PEPPER and SIGNING_SECRETS are missing.')
  if (DATABASE_URL && (KEY_PEPPER.length === 0 || SIGNING_SECRETS.length === 0)) {
    const reason = 'processes that share the database must share KEY_PEPPER and SIGNING_SECRETS'
    log.warn({ secrets_from: `${DATA_DIR}/dev.json` }, reason)
  }
  return { key_peppers: [first, ...others], signing_secrets, development }
}

/** The configured identity provider; without one the development issuer, which production lacks. */
export function issuerOf(
  { OIDC_ISSUER, OIDC_AUDIENCE, OIDC_JWKS_URL }: Config,
  development: DevelopmentSecrets | null,
): Issuer | null {
  if (OIDC_ISSUER && OIDC_AUDIENCE && OIDC_JWKS_URL) {
    const keys = async () => (await import('../access/jwks.ts')).remoteKeys(OIDC_JWKS_URL)
    return { issuer: OIDC_ISSUER, audience: OIDC_AUDIENCE, keys }
  }
  if (!development) return null
  const keys = async () => (await import('../access/jwks.ts')).fixedKeys(developmentPublicJwk(development))
  return { issuer: DEVELOPMENT_ISSUER, audience: DEVELOPMENT_AUDIENCE, keys }
}
