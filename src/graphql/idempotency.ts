/** `Idempotency-Key`: the same request twice has one effect and one answer. */
import { createHash } from 'node:crypto'
import { db, inTransaction, type Transaction, tenancyOf } from '../db/db.ts'
import type { Sql } from '../db/sql.ts'
import { statement } from '../db/sql.ts'
import { ApiError } from '../errors.ts'
import type { Context } from './context.ts'
import { retried, WRITE_MS } from './mutation.ts'

const KEPT_MS = 24 * 60 * 60 * 1000

/** The answer of one interface to one request. */
export interface Answer {
  status: number
  body: unknown
}

/** Answers that another try may change, so that none is kept. */
const NOT_KEPT = new Set([401, 403, 422, 429, 500, 503])

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
  fingerprint: string
}

async function earlierAnswer(ctx: Context, where: object, request: Request): Promise<Answer | null> {
  const record = await db(ctx).idempotencyRecord.findFirst({ where })
  if (!record) return null
  if (record.created_at.getTime() + KEPT_MS <= ctx.now.getTime()) {
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
  return { status: record.status, body: JSON.parse(record.body ?? 'null') }
}

/**
 * Answers from the stored answer where there is one; else runs the request and stores what it answers in the
 * transaction of its effect.
 */
export async function once(
  ctx: Context,
  request: Request,
  run: () => Promise<Answer>,
): Promise<Answer & { replayed: boolean }> {
  const { tenant_id, environment } = tenancyOf(ctx)
  const { key, operation } = request
  const where = { credential_id: ctx.viewer?.id ?? '', operation, key }
  const attempt = async () => {
    const transaction = ctx.transaction as Transaction
    await lock(transaction, JSON.stringify([tenant_id, environment, where]))
    const earlier = await earlierAnswer(ctx, where, request)
    if (earlier) return { ...earlier, replayed: true }
    await transaction.raw.$executeRawUnsafe('savepoint effect')
    const answer = await run()
    if (answer.status >= 400) await transaction.raw.$executeRawUnsafe('rollback to savepoint effect')
    if (!NOT_KEPT.has(answer.status)) {
      const { status, body } = answer
      await db(ctx).idempotencyRecord.create({
        data: {
          ...where,
          tenant_id,
          environment,
          fingerprint: request.fingerprint,
          status,
          body: ctx.secret_of ? null : JSON.stringify(body),
          secret_of: ctx.secret_of,
          request_id: ctx.request.id,
          created_at: ctx.now,
        },
      })
    }
    return { ...answer, replayed: false }
  }
  return await retried(() => inTransaction(ctx, WRITE_MS, attempt))
}

const SWEEP_ROWS = 5000

// Skips what a mutation is looking at: it is swept the next time.
const SWEEP = statement(
  'idempotency_record_sweep',
  `delete from idempotency_record as record using (
     select tenant_id, environment, credential_id, operation, key from idempotency_record
     where created_at <= $1::timestamptz order by created_at limit ${SWEEP_ROWS} for update skip locked
   ) as old
   where (record.tenant_id, record.environment, record.credential_id, record.operation, record.key)
     = (old.tenant_id, old.environment, old.credential_id, old.operation, old.key)
   returning 1 as deleted`,
)

/** Deletes the answers that are no longer kept. */
export async function sweepAnswers(sql: Sql, now: Date): Promise<void> {
  const before = new Date(now.getTime() - KEPT_MS)
  for (let deleted = SWEEP_ROWS; deleted === SWEEP_ROWS; ) {
    deleted = (await sql.rows(SWEEP, [before])).length
  }
}
