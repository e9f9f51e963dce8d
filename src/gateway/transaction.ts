/** The transaction of a mutation: done again after a lost race, or with an answer, from the state that it began with. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ExternalReads } from '../db/external-reads.ts'
import { inTransaction } from '../db/transaction.ts'
import { ApiError, unavailable } from '../errors/errors.ts'
import type { Context, MutationContext } from './context.ts'
import { causeOf, isLostRace, needsExternalRead } from './errors.ts'

const TRIES = 3

/** Milliseconds a mutation's transaction may take. */
const WRITE_MS = 30_000

type AnswerState = Pick<Context, 'etags' | 'location' | 'rates' | 'warnings'>

/** Remembers what a mutation writes into its context; the result puts it back. A command's context has no answer. */
function snapshotOf(ctx: MutationContext & Partial<AnswerState>): () => void {
  const { secret_of, outcome, location = null } = ctx
  const etags = new Map(ctx.etags)
  const warnings = [...(ctx.warnings ?? [])]
  const restoreRates = ctx.rates?.snapshot()
  return () => {
    Object.assign(ctx, { secret_of, outcome, location })
    ctx.warnings?.splice(0, Number.POSITIVE_INFINITY, ...warnings)
    ctx.etags?.clear()
    for (const [key, etag] of etags) ctx.etags?.set(key, etag)
    restoreRates?.()
  }
}

const refusalsWithEffect = new WeakSet<ApiError>()

/**
 * A refusal that has an effect of its own: throwing it commits the transaction instead of rolling it back. A change
 * that needs approval is refused with `approval_required`, and leaves the request for the approval behind.
 */
export function committing(refusal: ApiError): ApiError {
  refusalsWithEffect.add(refusal)
  return refusal
}

/** The refusal that commits its effect, if the error is one. */
export function committedRefusal(error: unknown): ApiError | null {
  const cause = causeOf(error)
  return cause instanceof ApiError && refusalsWithEffect.has(cause) ? cause : null
}

type Outcome<Result> = { result: Result } | { refusal: unknown }

interface Options {
  write_is_last?: boolean
}

/** Runs `work` in one transaction, and again after a lost race; 503 after the third. */
async function repeated<Result>(
  ctx: MutationContext,
  work: () => Promise<Result>,
  options: Options,
  restore: () => void,
): Promise<Result> {
  const attempt = async (): Promise<Outcome<Result>> => {
    try {
      return { result: await work() }
    } catch (error) {
      if (committedRefusal(error)) return { refusal: error }
      throw error
    }
  }
  for (let tries = 1; ; tries++) {
    try {
      const outcome = await inTransaction(ctx, WRITE_MS, attempt, options)
      if ('result' in outcome) return outcome.result
      throw outcome.refusal
    } catch (error) {
      if (!isLostRace(error)) throw error
      if (tries === TRIES) throw unavailable(1, error)
      restore()
      await sleep(Math.random() * 50 * tries)
    }
  }
}

/**
 * Runs `work` in one transaction, and again after a lost race, or with the answers of other systems that it asked for:
 * while they are asked, no transaction is open.
 */
export async function transact<Result>(
  ctx: MutationContext,
  work: () => Promise<Result>,
  options: Options = {},
): Promise<Result> {
  const restore = snapshotOf(ctx)
  if (ctx.transaction) return await repeated(ctx, work, options, restore)
  const external_reads = new ExternalReads()
  ctx.external_reads = external_reads
  try {
    for (;;) {
      try {
        return await repeated(ctx, work, options, restore)
      } catch (error) {
        if (!needsExternalRead(error)) throw error
        restore()
        await external_reads.fetch()
      }
    }
  } finally {
    ctx.external_reads = null
  }
}
