/** `Idempotency-Key`: the same request twice has one effect and one answer. */
import { createHash, createHmac } from 'node:crypto'
import { withoutSignature, withSignature } from '../access/credentials/feedback-link.ts'
import { actingUserIdOf, callerOf } from '../access/viewer.ts'
import { scoped, sql } from '../db/db.ts'
import { insert, insertOf } from '../db/query/insert.ts'
import { type Sql, statement } from '../db/sql.ts'
import { ApiError, type ErrorCode, type ErrorDetails } from '../errors/errors.ts'
import type { Context } from './context.ts'
import { committedRefusal, transact } from './transaction.ts'

const RETENTION_MS = 24 * 60 * 60 * 1000

/** The header of an answer that was kept. */
export const REPLAYED = { 'Idempotency-Replayed': 'true' }

/** The key in the header; 400 if it is not 1 to 255 visible ASCII characters. */
export function readIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null
  if (/^[\x21-\x7e]{1,255}$/.test(header)) return header
  throw new ApiError('bad_request', {
    message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
  })
}

/**
 * The digest by which a request is known again. It is keyed, since arguments with secrets, such as the credentials of a
 * connection, could be guessed from a bare digest in the database.
 */
export const fingerprint = (secret: string, content: unknown): string =>
  createHmac('sha256', secret)
    .update(`idempotent request\n${JSON.stringify(content)}`)
    .digest('hex')

/** The digest that release 1.0.0 kept. */
const bareDigest = (content: unknown): string =>
  createHash('sha256').update(JSON.stringify(content)).digest('hex')

/** True if the kept fingerprint is one of this content, under any of the secrets. */
export const isFingerprintOf = (secrets: readonly string[], kept: string, content: unknown): boolean =>
  secrets.some((secret) => fingerprint(secret, content) === kept) || bareDigest(content) === kept

/** One request with an `Idempotency-Key`. */
interface KeyedRequest {
  key: string
  operation: string
  /** The response key at which the answer has the operation's value. */
  response_key: string
  /** The arguments: requests with the same content ask for the same. */
  content: unknown
}

interface Answer<Body> {
  body: Body
  replayed: boolean
}

interface StoredAnswer {
  fingerprint: string
  /** 200, or the status of a refusal whose effect was committed. */
  status: number
  body: string | null
  etag: string | null
  location: string | null
  secret_of: string | null
  request_id: string
}

interface StoredRefusal {
  code: ErrorCode
  message: string
  details?: ErrorDetails
}

type FoundAnswer = { locked: boolean } & (StoredAnswer | { fingerprint: null })

// The lock is taken after the statement's snapshot: an answer that was committed in between is not seen here. Keeping
// a second one then fails, and the retry finds the first.
const FIND = scoped(
  'idempotency_record.find',
  `with lock as materialized (select pg_try_advisory_xact_lock(hashtextextended($3, 0)) as locked)
   select lock.locked, kept.fingerprint, kept.status, kept.body, kept.etag, kept.location, kept.secret_of,
     kept.request_id
   from lock left join idempotency_record kept on lock.locked and kept.tenant_id = $1 and kept.environment = $2
     and kept.credential_id = $4 and kept.acting_user_id = $5 and kept.operation = $6 and kept.key = $7
     and kept.created_at > $8`,
)

const IDENTITY = ['credential_id', 'acting_user_id', 'operation', 'key'] as const
const ANSWER = [
  'fingerprint',
  'status',
  'body',
  'etag',
  'location',
  'secret_of',
  'request_id',
  'created_at',
] as const

const STORE = insertOf('idempotency_record.store', 'IdempotencyRecord', {
  columns: [...IDENTITY, ...ANSWER],
  parameters: ['retained_since'],
  on_conflict: { key: IDENTITY, replace: ANSWER, where: 'idempotency_record.created_at <= $retained_since' },
  returning: ['key'],
})

/** The columns by which an answer is found. */
function identityOf(ctx: Context, { operation, key }: KeyedRequest) {
  const viewer = callerOf(ctx)
  return { credential_id: viewer.id, acting_user_id: actingUserIdOf(viewer) ?? '', operation, key }
}

/** Answers that are older are no longer kept. */
const retainedSince = (now: Date): Date => new Date(now.getTime() - RETENTION_MS)

/** The kept answer, or null; 409 while another request with the key is under way. */
async function findAnswer(ctx: Context, request: KeyedRequest): Promise<StoredAnswer | null> {
  const { tenant_id, environment } = callerOf(ctx)
  const identity = Object.values(identityOf(ctx, request))
  const lock = JSON.stringify([tenant_id, environment, ...identity])
  const [answer] = await sql<FoundAnswer>(ctx, FIND, [lock, ...identity, retainedSince(ctx.now)])
  if (!answer?.locked) throw new ApiError('idempotency_in_progress', { headers: { 'Retry-After': '1' } })
  return answer.fingerprint === null ? null : answer
}

/** Answers as the first request was answered, with its entity tag and location. */
function replay<Body>(ctx: Context, request: KeyedRequest, kept: StoredAnswer): Answer<Body> {
  if (!isFingerprintOf(ctx.services.signing_secrets, kept.fingerprint, request.content)) {
    throw new ApiError('idempotency_key_reused', { details: { first_request_id: kept.request_id } })
  }
  if (kept.secret_of && kept.body === null) {
    const member = kept.secret_of.startsWith('key_') ? 'api_key_id' : 'endpoint_id'
    throw new ApiError('secret_already_issued', { details: { [member]: kept.secret_of } })
  }
  ctx.warnings.push(`replayed_request: ${kept.request_id}`)
  const body = JSON.parse(withSecret(ctx, kept) ?? 'null')
  if (kept.status !== 200) {
    const { code, message, details } = body as StoredRefusal
    throw new ApiError(code, { message, ...(details && { details }), headers: REPLAYED })
  }
  if (kept.etag) ctx.etags.set(request.response_key, kept.etag)
  ctx.location = kept.location
  return { body, replayed: true }
}

const isOfLink = (secret_of: string): boolean => secret_of.startsWith('fb_')

/** The answer as it is kept: a link without its signature, and nothing of an answer with another secret. */
function withoutSecret({ secret_of }: Context, body: unknown): string | null {
  if (secret_of === null) return JSON.stringify(body)
  return isOfLink(secret_of) ? withoutSignature(JSON.stringify(body), secret_of) : null
}

/** The kept answer as it was given: a link is signed anew. */
const withSecret = (ctx: Context, { body, secret_of }: StoredAnswer): string | null =>
  body && secret_of ? withSignature(body, secret_of, ctx.services.signing_secrets) : body

async function storeAnswer(
  ctx: Context,
  request: KeyedRequest,
  status: number,
  body: unknown,
): Promise<void> {
  const { content, response_key } = request
  const { etags, location, now, secret_of } = ctx
  const [secret = ''] = ctx.services.signing_secrets
  const stored = await insert(ctx, STORE, {
    ...identityOf(ctx, request),
    fingerprint: fingerprint(secret, content),
    status,
    body: withoutSecret(ctx, body),
    etag: etags.get(response_key) ?? null,
    location,
    secret_of,
    request_id: ctx.request.id,
    created_at: now,
    retained_since: retainedSince(now),
  })
  if (!stored) throw new LostRace()
}

/** Another request with the key committed its answer first. */
class LostRace extends Error {
  readonly code = '40001'
}

/**
 * Answers with the kept answer if there is one; else runs the request, and keeps its answer in the transaction of
 * its effect. A refusal rolls the transaction back, so that the same key may be tried again, unless it commits an
 * effect of its own: then it is kept like an answer.
 */
export async function runOnce<Body>(
  ctx: Context,
  request: KeyedRequest,
  run: () => Promise<Body>,
): Promise<Answer<Body>> {
  return await transact(ctx, async () => {
    const kept = await findAnswer(ctx, request)
    if (kept) return replay<Body>(ctx, request, kept)
    try {
      const body = await run()
      await storeAnswer(ctx, request, 200, body)
      return { body, replayed: false }
    } catch (error) {
      const refusal = committedRefusal(error)
      if (refusal) await storeAnswer(ctx, request, refusal.status, refusalOf(refusal))
      throw error
    }
  })
}

const refusalOf = ({ code, message, details }: ApiError): StoredRefusal => ({
  code,
  message,
  ...(details && { details }),
})

const SWEEP_ROWS = 5000

// Rows that a mutation has locked are skipped: the next sweep deletes them.
const SWEEP = statement(
  'idempotency_record_sweep',
  `delete from idempotency_record as record using (
     select tenant_id, environment, credential_id, acting_user_id, operation, key from idempotency_record
     where environment = $2 and created_at <= $1::timestamptz
     order by created_at limit ${SWEEP_ROWS} for update skip locked
   ) as old
   where (record.tenant_id, record.environment, record.credential_id, record.acting_user_id, record.operation,
     record.key) = (old.tenant_id, old.environment, old.credential_id, old.acting_user_id, old.operation, old.key)
   returning 1 as deleted`,
)

/** Deletes the answers that are no longer kept. */
export async function sweepAnswers(sql: Sql, now: Date, environment: string): Promise<void> {
  const before = new Date(now.getTime() - RETENTION_MS)
  for (let deleted = SWEEP_ROWS; deleted === SWEEP_ROWS; ) {
    deleted = (await sql.rows(SWEEP, [before, environment])).length
  }
}
