/** Verifies SSO tokens of the chat platform, and finds the MSP whose app the end user has opened. */
import type { JWTPayload, JWTVerifyGetKey } from 'jose'
import { type Sql, statement } from '../../db/sql.ts'
import { ApiError } from '../../errors/errors.ts'
import { isStorable } from '../../lib/text.ts'
import type { Viewer, ViewerKind } from '../viewer.ts'
import { type CredentialRequest, refusedToken } from './credential.ts'
import { verifiedClaims } from './jwt.ts'

interface VerifierOptions {
  /** The kind of the viewers that it finds. */
  kind: ViewerKind
  sql: Sql
  environment: string
  keys: JWTVerifyGetKey
  /** The issuer of the tokens of a workplace-suite tenant: `{tenant}` stands for its id. */
  issuer: string
  audience: string
  max_age_seconds: number
}

/** An end user. `tenant_id` is empty if no MSP's app is installed in the user's workplace-suite tenant. */
export interface EndUserViewer extends Viewer {
  workplace_tenant_id: string
  workplace_user_id: string
  /** null: the token has none. */
  email: string | null
  /** True if the installed app shows tickets. */
  has_tickets_tab: boolean
}

interface Install {
  tenant_id: string
  suspended: boolean
  tickets_tab_enabled: boolean
}

// Contract silent: of several apps that are installed in one workplace-suite tenant, the call belongs to one of an
// MSP that is not suspended, then to one with the tab on, then to one of an MSP that has mapped the tenant, then to the
// one that was installed last. A channel that is paused or in error has its app, and its tab.
const INSTALL = statement(
  'chat_app_install',
  `select i.tenant_id, t.suspended_at is not null as suspended, c.tickets_tab_enabled
   from channel_install i
     join channel c on c.tenant_id = i.tenant_id and c.environment = i.environment and c.id = i.channel_id
     join tenant t on t.id = i.tenant_id
   where i.workplace_tenant_id = $1::text and i.environment = $2::text and i.status = 'ACTIVE'
     and c.transport = 'WHITE_LABEL_TEAMS_APP' and c.status <> 'UNINSTALLED'
   order by t.suspended_at is not null, c.tickets_tab_enabled desc, exists (
       select from end_company e
       where e.tenant_id = i.tenant_id and e.environment = i.environment
         and e.workplace_tenant_id = i.workplace_tenant_id
     ) desc, i.installed_at desc, i.tenant_id, i.id
   limit 1`,
)

const MAX_CLAIM = 128

const isName = (claim: unknown): claim is string =>
  typeof claim === 'string' && claim !== '' && claim.length <= MAX_CLAIM && isStorable(claim)

const textOf = (...claims: unknown[]): string | null => claims.find(isName) ?? null

/**
 * The address that the token vouches for. `email` is whatever an administrator or the user has entered, unless the
 * provider says that it is verified: `email_verified` (OpenID Connect) or `xms_edov` (Entra). `preferred_username` and
 * `upn` are the name that the user signs in with, whose domain the workplace-suite tenant has proven to own.
 */
// Contract silent: a verified `email` comes before the name that the user signs in with.
function addressIn({ email, email_verified, xms_edov, preferred_username, upn }: JWTPayload): string | null {
  const is_verified = [true, 'true', 1, '1'].some((yes) => email_verified === yes || xms_edov === yes)
  return textOf(...(is_verified ? [email] : []), preferred_username, upn)
}

// Contract silent: the claims are those that identity providers of workplace suites give: `tid`, `oid` (else `sub`).
function identityOf(claims: JWTPayload) {
  const { tid, oid, sub, name, exp = 0 } = claims
  const workplace_user_id = oid ?? sub
  if (!isName(tid) || !isName(workplace_user_id)) throw refusedToken('invalid_credentials')
  return {
    workplace_tenant_id: tid,
    workplace_user_id,
    email: addressIn(claims),
    name: textOf(name) ?? workplace_user_id,
    expires_at: new Date(exp * 1000),
  }
}

type Identity = ReturnType<typeof identityOf>

async function verified(
  token: string,
  { issuer, ...options }: VerifierOptions,
  { now }: CredentialRequest,
): Promise<Identity> {
  try {
    const payload = await verifiedClaims(token, { ...options, claims: ['iss', 'tid'] }, now)
    const identity = identityOf(payload)
    // A workplace-suite tenant speaks for its own users alone.
    if (payload.iss !== issuer.replaceAll('{tenant}', identity.workplace_tenant_id))
      throw refusedToken('invalid_credentials')
    return identity
  } catch (cause) {
    throw cause instanceof ApiError ? cause : refusedToken('invalid_credentials', { cause })
  }
}

/** Finds the viewer of a token. The app that is installed in the user's workplace-suite tenant decides whose it is. */
export function verifiedEndUser(
  options: VerifierOptions,
): (token: string, presented: CredentialRequest) => Promise<EndUserViewer> {
  const { kind, sql, environment } = options
  return async (token, presented) => {
    const identity = await verified(token, options, presented)
    const { workplace_tenant_id, workplace_user_id } = identity
    const [install] = await sql.rows<Install>(INSTALL, [workplace_tenant_id, environment])
    if (install?.suspended) throw new ApiError('tenant_suspended')
    return {
      ...identity,
      kind,
      tenant_id: install?.tenant_id ?? '',
      environment,
      id: `${workplace_tenant_id}:${workplace_user_id}`,
      scopes: new Set(),
      own_scopes: new Set(),
      person: null,
      acting_user: null,
      sunset_at: null,
      has_tickets_tab: install?.tickets_tab_enabled ?? false,
    }
  }
}
