/** `Idempotency-Key`: the same request twice has one effect and one answer. */
import { createHash } from 'node:crypto'
import { actingUserIdOf, callerOf } from '../access/viewer.ts'
import { db, inTransaction, type Transaction } from '../db/db.ts'
import type { Sql } from '../db/sql.ts'
import { statement } from '../db/sql.ts'
import { ApiError } from '../errors.ts'
import { retried, WRITE_MS } from '../schema/mutation.ts'
import type { Context } from './context.ts'

/** Only an effect is kept: the answer of a transaction that committed one. */
const KEPT_STATUS = 200

const KEPT_MS = 24 * 60 * 60 * 1000

/** The header of an answer that was kept. */
export const REPLAYED = { 'Idempotency-Replayed': 'true' }

/** The key in the header; 400 where it is not 1 to 255 visible ASCII characters. */
export function readIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null
  if (/^[\x21-\x7e]{1,255}$/.test(header)) return header
  throw new ApiError('bad_request', {
    message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
    details: { reason: 'Idempotency-Key must be 1 to 255 visible ASCII characters.' },
  })
}

/** What makes two requests the same request. */
export const fingerprint = (request: unknown): string =>
  createHash('sha256').update(JSON.stringify(request)).digest('hex')

async function lock({ raw }: Transaction, key: string): Promise<void> {
  const [row] = await raw.$queryRawUnsafe<{ locked: boolean }[]>(
    'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked',
    key,
  )
  if (row?.locked) return
  throw new ApiError('idempotency_in_progress', { headers: { 'Retry-After': '1' } })
}

interface Request {
  key: string
  operation: string
  /** Where the answer has the operation's value. */
  response_key: string
  fingerprint: string
}

interface Answer<Body> {
  body: Body
  replayed: boolean
}

/** The kept answer, with its entity tag and location. */
async function keptAnswer<Body>(ctx: Context, where: object, request: Request): Promise<Answer<Body> | null> {
  const record = await db(ctx).idempotencyRecord.findFirst({ where })
  if (!record) return null
  const isKept = record.status === KEPT_STATUS && record.created_at.getTime() + KEPT_MS > ctx.now.getTime()
  if (!isKept) {
    await db(ctx).idempotencyRecord.deleteMany({ where })
    return null
  }
  if (record.fingerprint !== request.fingerprint) {
    throw new ApiError('idempotency_key_reused', { details: { first_request_id: record.request_id } })
  }
  if (record.secret_of) {
    throw new ApiError('secret_already_issued', { details: { api_key_id: record.secret_of } })
  }
  ctx.warnings.push(`replayed_request: ${record.request_id}`)
  if (record.etag) ctx.etags.set(request.response_key, record.etag)
  ctx.location = record.location
  return { body: JSON.parse(record.body ?? 'null'), replayed: true }
}

/**
 * Answers with the kept answer where there is one; else runs the request, and keeps its answer in the transaction of
 * its effect. A refusal is thrown: it rolls the transaction back, and the same key may be tried again.
 */
export async function once<Body>(
  ctx: Context,
  request: Request,
  run: () => Promise<Body>,
): Promise<Answer<Body>> {
  const viewer = callerOf(ctx)
  const { tenant_id, environment } = viewer
  const { key, operation, fingerprint, response_key } = request
  const acting_user_id = actingUserIdOf(viewer) ?? ''
  const where = { credential_id: viewer.id, acting_user_id, operation, key }
  const attempt = async () => {
    const transaction = ctx.transaction as Transaction
    await lock(transaction, JSON.stringify([tenant_id, environment, where]))
    const kept = await keptAnswer<Body>(ctx, where, request)
    if (kept) return kept
    const body = await run()
    await db(ctx).idempotencyRecord.create({
      data: {
        ...where,
        tenant_id,
        environment,
        fingerprint,
        status: KEPT_STATUS,
        body: ctx.secret_of ? null : JSON.stringify(body),
        etag: ctx.etags.get(response_key) ?? null,
        location: ctx.location,
        secret_of: ctx.secret_of,
        request_id: ctx.request.id,
        created_at: ctx.now,
      },
    })
    return { body, replayed: false }
  }
  return await retried(() => inTransaction(ctx, WRITE_MS, attempt))
}

const SWEEP_ROWS = 5000

// Skips what a mutation is looking at: it is swept the next time.
const SWEEP = statement(
  'idempotency_record_sweep',
  `delete from idempotency_record as record using (
     select tenant_id, environment, credential_id, acting_user_id, operation, key from idempotency_record
     where created_at <= $1::timestamptz order by created_at limit ${SWEEP_ROWS} for update skip locked
   ) as old
   where (record.tenant_id, record.environment, record.credential_id, record.acting_user_id, record.operation,
     record.key) = (old.tenant_id, old.environment, old.credential_id, old.acting_user_id, old.operation, old.key)
   returning 1 as deleted`,
)

/** Deletes the answers that are no longer kept. */
export async function sweepAnswers(sql: Sql, now: Date): Promise<void> {
  const before = new Date(now.getTime() - KEPT_MS)
  for (let deleted = SWEEP_ROWS; deleted === SWEEP_ROWS; ) {
    deleted = (await sql.rows(SWEEP, [before])).length
  }
}
