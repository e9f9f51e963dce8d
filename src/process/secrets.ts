/** What the process proves and checks identities with: from the configuration, or made up on a developer's machine. */
import type { Logger } from 'pino'
import type { Peppers } from '../access/api-key-secret.ts'
import { type CredentialKind, isCompactJws, loadedLater } from '../access/credential.ts'
import {
  DEVELOPMENT_AUDIENCE,
  DEVELOPMENT_ISSUER,
  type DevelopmentSecrets,
  developmentPublicJwk,
  developmentSecrets,
} from '../access/development-issuer.ts'
import type { Config } from '../config.ts'
import type { Sql } from '../db/sql.ts'

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

/** Dashboard users are the configured issuer's; without one, the development issuer's, which production lacks. */
export function dashboardCredentials(
  { OIDC_ISSUER, OIDC_AUDIENCE, OIDC_JWKS_URL, ENVIRONMENT: environment }: Config,
  sql: Sql,
  development: DevelopmentSecrets | null,
): CredentialKind[] {
  const configured = OIDC_ISSUER && OIDC_AUDIENCE && OIDC_JWKS_URL
  if (!configured && !development) return []
  const load = async () => {
    const { fixedKeys, remoteKeys } = await import('../access/jwks.ts')
    const { dashboardJwtCredential } = await import('../access/dashboard-jwt.ts')
    if (configured) {
      const keys = remoteKeys(OIDC_JWKS_URL)
      return dashboardJwtCredential({ sql, environment, keys, issuer: OIDC_ISSUER, audience: OIDC_AUDIENCE })
    }
    const keys = fixedKeys(developmentPublicJwk(development as DevelopmentSecrets))
    const issuer = { issuer: DEVELOPMENT_ISSUER, audience: DEVELOPMENT_AUDIENCE }
    return dashboardJwtCredential({ sql, environment, keys, ...issuer })
  }
  return [loadedLater({ name: 'dashboard_jwt', recognises: isCompactJws }, load)]
}
