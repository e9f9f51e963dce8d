/** Development secrets and a development issuer, for machines without an identity provider. Never in production. */
import { createHmac, randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { JWK } from 'jose'
import { refuseOtherFiles } from '../../db/embedded/folder.ts'
import { randomBase62 } from '../../lib/base62.ts'
import { folderError, privateFolder } from '../../lib/private-folder.ts'
import type { EncryptionKey } from '../../lib/secret-box.ts'
import { newSecret } from './api-key-secret.ts'

export const DEVELOPMENT_ISSUER = 'http://localhost/dev-issuer'
export const DEVELOPMENT_AUDIENCE = 'automation-service'

/** The chat platform of the development issuer. `{tenant}` stands for a workplace-suite tenant. */
export const DEVELOPMENT_CHAT_ISSUER = 'http://localhost/dev-chat/{tenant}'
export const DEVELOPMENT_CHAT_AUDIENCE = 'automation-service-tab'

const ISSUER_KEY_ID = 'dev'

export interface DevelopmentSecrets {
  key_pepper: string
  signing_secret: string
  /** The demo key's secret, in the environment asked for. */
  demo_api_key: string
  /** ES256. */
  issuer_private_jwk: JWK
}

interface TokenClaims {
  subject: string
  tenant_id: string
  environment: string
  ttl_seconds: number
  now?: Date
}

interface TabTokenClaims {
  workplace_tenant_id: string
  workplace_user_id: string
  email: string
  name: string
  ttl_seconds: number
  now?: Date
}

/** The demo key, derived from the pepper and the environment: the same at every start. */
function demoKey(key_pepper: string, environment: string): string {
  let block = 0
  return newSecret(environment, () =>
    createHmac('sha512', key_pepper).update(`demo key ${environment} ${block++}`).digest(),
  )
}

async function newSecrets(environment: string): Promise<DevelopmentSecrets> {
  const { exportJWK, generateKeyPair } = await import('jose')
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const key_pepper = randomBase62(43)
  return {
    key_pepper,
    signing_secret: randomBase62(43),
    demo_api_key: demoKey(key_pepper, environment),
    issuer_private_jwk: { ...(await exportJWK(privateKey)), alg: 'ES256', kid: ISSUER_KEY_ID },
  }
}

/** Creates the file atomically. Of several processes the first one wins. */
async function createOnce(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' })
    await link(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw folderError(dirname(path), error)
  } finally {
    await rm(draft, { force: true })
  }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw folderError(dirname(path), error)
  }
}

function parseSecrets(path: string, text: string): DevelopmentSecrets {
  try {
    const secrets = JSON.parse(text) as DevelopmentSecrets
    const { key_pepper, signing_secret, issuer_private_jwk } = secrets
    if (key_pepper && signing_secret && issuer_private_jwk.d) return secrets
  } catch {
    // The error below says what to do.
  }
  throw new Error(`${path} cannot be used; remove it to have new development secrets made`)
}

/** The secrets in `dataDir`/dev.json, made at the first call. */
export async function developmentSecrets(dataDir: string, environment: string): Promise<DevelopmentSecrets> {
  const path = join(dataDir, 'dev.json')
  let text = await readIfThere(path)
  if (text === null) {
    await privateFolder(dataDir)
    refuseOtherFiles(dataDir)
    await createOnce(path, `${JSON.stringify(await newSecrets(environment), null, 2)}\n`)
    text = await readFile(path, 'utf8')
  }
  const secrets = parseSecrets(path, text)
  return { ...secrets, demo_api_key: demoKey(secrets.key_pepper, environment) }
}

/** The key of what is stored encrypted, derived from the pepper: the same at every start. */
export const developmentEncryptionKey = ({
  key_pepper,
}: Pick<DevelopmentSecrets, 'key_pepper'>): EncryptionKey => ({
  id: 'development',
  key: createHmac('sha256', key_pepper).update('encryption key').digest(),
})

/** The development issuer's public key. */
export function developmentPublicJwk({ issuer_private_jwk }: DevelopmentSecrets): JWK {
  const { d: _private, ...publicJwk } = issuer_private_jwk
  return publicJwk
}

interface Signing {
  issuer: string
  audience: string
  subject: string
  ttl_seconds: number
  now?: Date | undefined
}

async function signed(
  { issuer_private_jwk }: DevelopmentSecrets,
  claims: Record<string, string>,
  { issuer, audience, subject, ttl_seconds, now = new Date() }: Signing,
): Promise<string> {
  const { importJWK, SignJWT } = await import('jose')
  const issued = Math.floor(now.getTime() / 1000)
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', kid: ISSUER_KEY_ID })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(subject)
    .setIssuedAt(issued)
    .setExpirationTime(issued + ttl_seconds)
    .sign(await importJWK(issuer_private_jwk, 'ES256'))
}

/** A dashboard JWT of the development issuer. */
export const developmentToken = (
  secrets: DevelopmentSecrets,
  { subject, tenant_id, environment, ttl_seconds, now }: TokenClaims,
): Promise<string> =>
  signed(
    secrets,
    { tenant_id, environment },
    { issuer: DEVELOPMENT_ISSUER, audience: DEVELOPMENT_AUDIENCE, subject, ttl_seconds, now },
  )

/** The SSO token of an end user, as the tab of a chat app gets it. */
export const developmentTabToken = (
  secrets: DevelopmentSecrets,
  { workplace_tenant_id, workplace_user_id, email, name, ttl_seconds, now }: TabTokenClaims,
): Promise<string> =>
  signed(
    secrets,
    { tid: workplace_tenant_id, oid: workplace_user_id, preferred_username: email, name },
    {
      issuer: DEVELOPMENT_CHAT_ISSUER.replace('{tenant}', workplace_tenant_id),
      audience: DEVELOPMENT_CHAT_AUDIENCE,
      subject: workplace_user_id,
      ttl_seconds,
      now,
    },
  )
