/** Links by which end users give feedback: signed URLs, whose holder is the end user who is asked. */
import { type Sql, statement } from '../../db/sql.ts'
import { ApiError } from '../../errors/errors.ts'
import { BASE_PATH } from '../../lib/api.ts'
import type { LimitDeclaration } from '../limits/catalogue.ts'
import { refusedAddress } from '../policies/authorize.ts'
import type { Viewer } from '../viewer.ts'
import type { CredentialKind } from './credential.ts'
import { isSigned, signatureOf } from './signature.ts'

/** The routes that take such links. */
export const FEEDBACK_FORM = '/feedback/{feedback_id}/form'
export const FEEDBACK_SUBMIT = '/feedback/{feedback_id}/submit'

const PATH = /^\/public-api\/feedback\/([^/]+)\/(?:form|submit)$/

/** The text that `signature` signs. */
const signedText = (id: string, expires: string): string =>
  `v1\n${BASE_PATH}/feedback/${id}\n${id}\n${expires}`

const secondsOf = (instant: Date): number => Math.floor(instant.getTime() / 1000)

interface Link {
  id: string
  /** A whole second. */
  expires_at: Date
}

interface Signer {
  signing_secrets: readonly string[]
  public_url: string
}

/** The address of the form, signed with the first secret. It has no host if the service does not know its own. */
export function feedbackUrl({ signing_secrets, public_url }: Signer, { id, expires_at }: Link): string {
  const expires = String(secondsOf(expires_at))
  const signature = signatureOf(signing_secrets[0] ?? '', signedText(id, expires))
  const query = new URLSearchParams({ expires, signature })
  return `${public_url}${BASE_PATH}${FEEDBACK_FORM.replace('{feedback_id}', id)}?${query}`
}

const FORM = /\/feedback\/(fb_\w+)\/form\?expires=(\d{1,11})(?:&signature=[\w-]+)?/g

/** The text with the parameters of the form of the feedback as `parametersOf` makes them. */
const withParameters = (text: string, id: string, parametersOf: (expires: string) => string): string =>
  text.replace(FORM, (whole, of: string, expires: string) =>
    of === id ? `/feedback/${id}/form?${parametersOf(expires)}` : whole,
  )

/** The text with the address of the form and no signature: fit to be stored. */
export const withoutSignature = (text: string, id: string): string =>
  withParameters(text, id, (expires) => `expires=${expires}`)

/** The text with the address of the form, signed with the first secret. */
export const withSignature = (text: string, id: string, [secret = '']: readonly string[]): string =>
  withParameters(
    text,
    id,
    (expires) => `expires=${expires}&signature=${signatureOf(secret, signedText(id, expires))}`,
  )

/** The first link in the text that the service has signed, with its address as it stands there; null: there is none. */
export function linkIn(
  { signing_secrets, public_url }: Signer,
  text: string,
): (Link & { url: string }) | null {
  for (const [, id = '', expires] of text.matchAll(FORM))
    for (const secret of signing_secrets) {
      const link = { id, expires_at: new Date(Number(expires) * 1000) }
      const url = feedbackUrl({ signing_secrets: [secret], public_url }, link)
      if (text.includes(url)) return { ...link, url }
    }
  return null
}

/** A link as it is presented. */
interface Presented {
  id: string
  expires: string
  signature: string
}

const MAX_CHARACTERS = 64

const bounded = (text = ''): string => (text.length <= MAX_CHARACTERS ? text : '')

// Contract silent: another parameter makes it another address, which has no signature.
/** The link in the address. An address with a repeated parameter, or another one, has no signature. */
function presentedIn(path: string, query: URLSearchParams): Presented {
  const [, id] = PATH.exec(path) ?? []
  const is_whole = query.size === 2 && query.has('expires') && query.has('signature')
  const [expires, signature] = [query.get('expires') ?? '', query.get('signature') ?? '']
  return { id: bounded(id), expires: bounded(expires), signature: is_whole ? bounded(signature) : '' }
}

const SECONDS = /^\d{1,11}$/

/** 401 for a link that nobody signed, then for a link whose time is over. */
function judge(secrets: readonly string[], { id, expires, signature }: Presented, now: Date): void {
  const is_signed = isSigned(secrets, signedText(id, expires), signature)
  if (!is_signed || !SECONDS.test(expires)) throw refusedAddress('invalid_signature')
  const expires_at = new Date(Number(expires) * 1000)
  if (expires_at <= now) throw refusedAddress('signature_expired', { expired_at: expires_at.toISOString() })
}

interface LinkRow {
  tenant_id: string
  end_user_name: string | null
  is_revoked: boolean
  suspended: boolean
}

const BY_ID = statement(
  'feedback_link.by_id',
  `select f.tenant_id, f.end_user_name, f.status = 'REVOKED' as is_revoked, t.suspended_at is not null as suspended
   from feedback_entry f join tenant t on t.id = f.tenant_id
   where f.id = $1::text and f.environment = $2::text`,
)

async function holderOf(sql: Sql, environment: string, id: string): Promise<Viewer> {
  const [row] = await sql.rows<LinkRow>(BY_ID, [id, environment])
  if (!row) throw refusedAddress('invalid_signature')
  if (row.suspended) throw new ApiError('tenant_suspended')
  if (row.is_revoked) throw new ApiError('feedback_not_found', { details: { id } })
  return {
    kind: feedbackLink,
    tenant_id: row.tenant_id,
    environment,
    id,
    name: row.end_user_name ?? 'End user',
    scopes: new Set(),
    own_scopes: new Set(),
    person: null,
    acting_user: null,
    expires_at: null,
    sunset_at: null,
  }
}

/** Bounds what the holder of one link can ask of the service. */
const LINK: LimitDeclaration = {
  name: 'feedback_link',
  item: 'feedback-link',
  quota: 60,
  window_seconds: 60,
}

export const feedbackLink: CredentialKind = {
  type: 'FEEDBACK_LINK',
  description: 'A feedback link: the signed URL that an end user got.',
  security: {
    name: 'feedback_link',
    scheme: {
      type: 'apiKey',
      in: 'query',
      name: 'signature',
      description:
        'The signature of a feedback link, which goes with `expires` as both are in the `url` of `create_feedback_link`: ' +
        'base64url of HMAC-SHA-256. No Authorization header is needed.',
    },
  },
  limits: [{ limit: LINK, scope: 'USER', counts: 'calls' }],
  errors: ['tenant_suspended'],
  errorsOf: () => [],
  requirement: () => null,
  refusal: () => refusedAddress('invalid_signature'),
  roleRefusal: () => new ApiError('forbidden'),
  seen_in: null,
  named_only: true,
  credential({ sql, environment, signing_secrets }) {
    async function holder(presented: Presented, now: Date): Promise<Viewer> {
      judge(signing_secrets, presented, now)
      return await holderOf(sql, environment, presented.id)
    }
    return {
      authenticate: ({ request: { path, query }, now }) =>
        PATH.test(path) ? holder(presentedIn(path, query), now) : null,
    }
  },
}
