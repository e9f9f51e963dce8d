/** Peppers, signing secrets and issuers: from the configuration, or generated on a developer's machine. */
import type { Logger } from 'pino'
import type { Peppers } from '../access/credentials/api-key-secret.ts'
import type { Issuer } from '../access/credentials/credential.ts'
import {
  DEVELOPMENT_AUDIENCE,
  DEVELOPMENT_CHAT_AUDIENCE,
  DEVELOPMENT_CHAT_ISSUER,
  DEVELOPMENT_ISSUER,
  type DevelopmentSecrets,
  developmentEncryptionKey,
  developmentPublicJwk,
  developmentSecrets,
} from '../access/credentials/development-issuer.ts'
import type { Config } from '../config.ts'
import type { EncryptionKeys } from '../lib/secret-box.ts'

export interface Secrets {
  key_peppers: Peppers
  signing_secrets: readonly string[]
  encryption_keys: EncryptionKeys
  /** null in production. */
  development: DevelopmentSecrets | null
}

export async function readSecrets(config: Config, log: Logger): Promise<Secrets> {
  const { KEY_PEPPER, SIGNING_SECRETS, ENCRYPTION_KEYS, DATABASE_URL, DATA_DIR, ENVIRONMENT, production } =
    config
  const development = production ? null : await developmentSecrets(DATA_DIR, ENVIRONMENT)
  const [first, ...others] = KEY_PEPPER.length > 0 || !development ? KEY_PEPPER : [development.key_pepper]
  const made = development ? [development.signing_secret] : []
  const signing_secrets = SIGNING_SECRETS.length > 0 ? SIGNING_SECRETS : made
  const made_key = development ? [developmentEncryptionKey(development)] : []
  const [encrypting, ...decrypting] = ENCRYPTION_KEYS.length > 0 ? ENCRYPTION_KEYS : made_key
  if (first === undefined || signing_secrets.length === 0 || encrypting === undefined)
    throw new Error('KEY_PEPPER, SIGNING_SECRETS and ENCRYPTION_KEYS are missing.')
  if (DATABASE_URL && [KEY_PEPPER, SIGNING_SECRETS, ENCRYPTION_KEYS].some(({ length }) => length === 0)) {
    const reason =
      'processes that share the database must share KEY_PEPPER, SIGNING_SECRETS and ENCRYPTION_KEYS'
    log.warn({ secrets_from: `${DATA_DIR}/dev.json` }, reason)
  }
  return {
    key_peppers: [first, ...others],
    signing_secrets,
    encryption_keys: [encrypting, ...decrypting],
    development,
  }
}

type Provider = Pick<Issuer, 'issuer' | 'audience'>

interface Configured {
  issuer: string | undefined
  audience: string | undefined
  jwks_url: string | undefined
}

/** The configured identity provider; without one the development issuer, which production lacks. */
function providerOf(
  { issuer, audience, jwks_url }: Configured,
  development: DevelopmentSecrets | null,
  ours: Provider,
): Issuer | null {
  if (issuer && audience && jwks_url) {
    const keys = async () => (await import('../access/credentials/jwks.ts')).remoteKeys(jwks_url)
    return { issuer, audience, keys }
  }
  if (!development) return null
  const keys = async () =>
    (await import('../access/credentials/jwks.ts')).fixedKeys(developmentPublicJwk(development))
  return { ...ours, keys }
}

/** The identity provider of dashboard users. */
export const issuerOf = (
  { OIDC_ISSUER, OIDC_AUDIENCE, OIDC_JWKS_URL }: Config,
  development: DevelopmentSecrets | null,
): Issuer | null =>
  providerOf({ issuer: OIDC_ISSUER, audience: OIDC_AUDIENCE, jwks_url: OIDC_JWKS_URL }, development, {
    issuer: DEVELOPMENT_ISSUER,
    audience: DEVELOPMENT_AUDIENCE,
  })

/** The identity provider of end users in chat apps. */
export const chatIssuerOf = (
  { CHAT_SSO_ISSUER, CHAT_SSO_AUDIENCE, CHAT_SSO_JWKS_URL }: Config,
  development: DevelopmentSecrets | null,
): Issuer | null =>
  providerOf(
    { issuer: CHAT_SSO_ISSUER, audience: CHAT_SSO_AUDIENCE, jwks_url: CHAT_SSO_JWKS_URL },
    development,
    { issuer: DEVELOPMENT_CHAT_ISSUER, audience: DEVELOPMENT_CHAT_AUDIENCE },
  )
