/** A budgeted client around a PSA: every call has a timeout, and identical reads of a few seconds share one call. */
import { ApiError } from '../errors.ts'
import { Stopwatch } from '../lib/stopwatch.ts'
import { withTimeout } from '../lib/timeout.ts'
import { PSA_CALLS, type Psa, type PsaConnector, type PsaContext, PsaUnavailable } from './psa.ts'

interface Budget {
  read_ms?: number
  write_ms?: number
  /** The time for which the result of a read is shared. */
  share_ms?: number
  /** Monotonic milliseconds. */
  elapsed?: () => number
}

/** The maximum number of shared reads: a new one replaces the oldest. */
const MAX_SHARED = 1000

interface Shared {
  tenancy: string
  result: Promise<unknown>
  at: number
}

type Call = (...args: unknown[]) => Promise<unknown>

/** 503 for the caller. The cause is logged, and not told. */
function asApiError(error: unknown): unknown {
  if (!(error instanceof PsaUnavailable)) return error
  return new ApiError('upstream_unavailable', {
    details: { upstream: 'PSA' },
    headers: { 'Retry-After': String(error.retry_after_seconds) },
    cause: error,
  })
}

/** Measures the call as time that the request waits for other systems. */
async function measured<Result>({ upstream_time }: PsaContext, work: () => Promise<Result>): Promise<Result> {
  upstream_time?.start()
  try {
    return await work()
  } catch (error) {
    throw asApiError(error)
  } finally {
    upstream_time?.stop()
  }
}

/** The reads that are shared, by tenancy, call and arguments. A failed read is shared only while it is under way. */
function sharedReads(share_ms: number, elapsed: () => number) {
  const reads = new Map<string, Shared>()
  return {
    read(tenancy: string, key: string, load: () => Promise<unknown>): Promise<unknown> {
      const known = reads.get(key)
      if (known && elapsed() - known.at < share_ms) return known.result
      reads.delete(key)
      if (reads.size === MAX_SHARED) reads.delete(reads.keys().next().value as string)
      const entry = { tenancy, result: load(), at: elapsed() }
      reads.set(key, entry)
      entry.result.catch(() => {
        if (reads.get(key) === entry) reads.delete(key)
      })
      return entry.result
    },
    /** A tenant that wrote reads what it has written. */
    forget(tenancy: string): void {
      for (const [key, read] of reads) if (read.tenancy === tenancy) reads.delete(key)
    },
  }
}

/**
 * The connector with a budget. In a transaction nothing is shared. A PSA that is another system is read while none is
 * open, where the work of the transaction can be done again; one that joins transactions reads what they have written.
 */
export function budgetedPsa(
  connect: PsaConnector,
  { read_ms = 8000, write_ms = 20_000, share_ms = 5000, elapsed = () => performance.now() }: Budget = {},
): PsaConnector {
  const shared = sharedReads(share_ms, elapsed)
  const late = (): Error => new PsaUnavailable('The PSA did not answer in time')
  // Time in which an adapter waits for our own database is time upstream.
  const connected = (ctx: PsaContext): Psa => connect({ ...ctx, db_time: new Stopwatch() })

  return (ctx) => {
    const { viewer, transaction, outside } = ctx
    const tenancy = JSON.stringify([viewer?.tenant_id, viewer?.environment])
    const psa = connected(ctx)
    const client = {} as Record<keyof Psa, Call>
    for (const name of Object.keys(PSA_CALLS) as (keyof Psa)[]) {
      const kind = PSA_CALLS[name]
      const call = (on: Psa, args: unknown[]): Promise<unknown> =>
        withTimeout(kind === 'WRITE' ? write_ms : read_ms, (on[name] as Call)(...args), late)
      const read: Call = (...args) => {
        const question = `${tenancy} ${name} ${JSON.stringify(args)}`
        if (!transaction && ctx.fresh) return call(psa, args)
        if (!transaction) return shared.read(tenancy, question, () => call(psa, args))
        if (!outside || connect.joins_transactions) return call(psa, args)
        const alone = connected({ ...ctx, transaction: null })
        return outside.answer(question, () => measured(ctx, () => call(alone, args)))
      }
      const write: Call = async (...args) => {
        try {
          return await call(psa, args)
        } finally {
          shared.forget(tenancy)
        }
      }
      const outcome: Call = (...args) => call(psa, args)
      const ask = { READ: read, WRITE: write, OUTCOME: outcome }[kind]
      client[name] = (...args) => measured(ctx, () => ask(...args))
    }
    return client as Psa
  }
}
