/** The service, one instance per worker, on the worker's database. */
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { type Logger, pino } from 'pino'
import { fixedKeys } from '../../src/access/credentials/jwks.ts'
import { type App, type AppOptions, createApp } from '../../src/composition/app.ts'
import { buildSchemas, type Schemas } from '../../src/composition/schemas.ts'
import { readConfig } from '../../src/config.ts'
import type { Database } from '../../src/db/database.ts'
import { STAND_INS } from './adapters.ts'
import { clock } from './clock.ts'
import { testDatabase } from './database.ts'

export { clock }

export const ENVIRONMENT = 'test'
export const SIGNING_SECRET = 'a signing secret for tests'
export const KEY_PEPPER = 'a pepper for tests only'
export const ENCRYPTION_KEY = { id: 'test', key: Buffer.alloc(32, 'key') }

const ISSUER = 'https://issuer.test'
const AUDIENCE = 'tests'
const CHAT_ISSUER = 'https://chat.test/{tenant}/v2'
const CHAT_AUDIENCE = 'tab-tests'

/** Quotas so high that no test reaches them by accident. */
const HIGH_LIMITS = [
  'service_key',
  'service_key_writes',
  'dashboard_user',
  'dashboard_user_writes',
  'tenant',
  'anonymous_ip',
  'failed_credentials_ip',
  'unknown_credentials_ip',
  'graphql_points',
  'run_now',
  'verify_audit_log',
  'ingest_connection',
]
  .map((name) => `${name}=1000000`)
  .join(',')

/** Tokens that are good on every day to which a test sets the clock, and quotas that none reaches by accident. */
const LENIENT = { LIMITS: HIGH_LIMITS, JWT_MAX_AGE_SECONDS: '4200000000' }

const issuerKeys = generateKeyPair('ES256', { extractable: true })

/** An access token of the test issuer. */
export async function signToken(claims: Record<string, unknown>, expiresAt?: Date): Promise<string> {
  const { privateKey } = await issuerKeys
  return await new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', kid: 'test' })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setIssuedAt(new Date(0))
    .setExpirationTime(expiresAt ?? new Date('2100-01-01'))
    .sign(privateKey)
}

/** The claims of an SSO token of a chat app's tab. */
export interface TabClaims {
  tid: string
  oid: string
  [claim: string]: unknown
}

/** An SSO token of the test chat platform. `not_before` and `expires_at` are those of the token. */
export async function signTabToken(
  { iss, aud, ...claims }: TabClaims & { iss?: string; aud?: string },
  { not_before, expires_at }: { not_before?: Date; expires_at?: Date } = {},
): Promise<string> {
  const { privateKey } = await issuerKeys
  const token = new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', kid: 'test' })
    .setIssuer(iss ?? CHAT_ISSUER.replace('{tenant}', claims.tid))
    .setAudience(aud ?? CHAT_AUDIENCE)
    .setIssuedAt(new Date(0))
    .setExpirationTime(expires_at ?? new Date('2100-01-01'))
  return await (not_before ? token.setNotBefore(not_before) : token).sign(privateKey)
}

/** A model is configured, so that agents that need one start. Nothing answers there. */
export const NO_MODEL_ANSWERS = { MODEL_BASE_URL: 'http://127.0.0.1:9/v1', MODEL_NAME: 'nobody' }

let built: Schemas | undefined

/** The schemas of the service, built once for the services of a worker. */
export const builtSchemas = (): Schemas => {
  built ??= buildSchemas()
  return built
}

export interface Running {
  app: App
  base: string
  database: Database
}

/** The service on a database, listening; `overrides` are configuration variables. */
export async function startApp(
  database: Database,
  overrides: Record<string, string> = {},
  log: Logger = pino({ level: 'silent' }),
  options: Partial<AppOptions> = {},
): Promise<Running> {
  const start = performance.now()
  const config = readConfig({ ENVIRONMENT, ...LENIENT, ...NO_MODEL_ANSWERS, ...overrides })
  const { publicKey } = await issuerKeys
  const jwk = { ...(await exportJWK(publicKey)), kid: 'test', alg: 'ES256' }
  const app = await createApp({
    config,
    database,
    log,
    secrets: {
      key_peppers: [KEY_PEPPER],
      signing_secrets: [SIGNING_SECRET],
      encryption_keys: [ENCRYPTION_KEY],
    },
    issuer: { issuer: ISSUER, audience: AUDIENCE, keys: async () => fixedKeys(jwk) },
    chat_issuer: { issuer: CHAT_ISSUER, audience: CHAT_AUDIENCE, keys: async () => fixedKeys(jwk) },
    adapters: STAND_INS,
    schemas: builtSchemas(),
    now: clock.now,
    elapsed: clock.elapsed,
    ...options,
  })
  const port = await app.server.listen(0, '127.0.0.1')
  performance.measure('service', { start })
  return { app, base: `http://127.0.0.1:${port}`, database }
}

const shared = new Map<boolean, Promise<Running>>()
let document_cache = true

/** Lets `testApp` be the service with its GraphQL document cache, or one without. */
export const useDocumentCache = (on: boolean): void => {
  document_cache = on
}

/** The worker's service. */
export const testApp = (): Promise<Running> => {
  const running =
    shared.get(document_cache) ??
    testDatabase().then((database) => startApp(database, {}, undefined, { document_cache }))
  shared.set(document_cache, running)
  return running
}
