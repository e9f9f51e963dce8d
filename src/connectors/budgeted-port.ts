/** A budgeted client around a port: every call has a timeout, and identical reads of a few seconds share one call. */
import { ApiError } from '../errors/errors.ts'
import { createDeadline, withDeadline } from '../lib/deadline.ts'
import { Stopwatch } from '../lib/stopwatch.ts'
import { onBehalfOf } from './http/asking.ts'
import {
  type Chooser,
  type ChosenSystem,
  type Connector,
  type PortContext,
  type PortDescription,
  PortRefusal,
  PortUnavailable,
} from './port.ts'
import { unavailableText } from './unavailable.ts'
import type { UpstreamCall } from './upstream-calls.ts'

export interface Budget {
  read_ms?: number
  write_ms?: number
  /** The time for which the result of a read is shared. */
  share_ms?: number
  /** Monotonic milliseconds. */
  elapsed?: () => number
  /** Told of every call that is made, once it is answered or given up. */
  record?: (call: UpstreamCall) => void
  now?: () => Date
}

/** The maximum number of shared reads: a new one replaces the oldest. */
const MAX_SHARED = 1000

interface Shared {
  tenancy: string
  result: Promise<unknown>
  at: number
}

type Call = (...args: unknown[]) => Promise<unknown>

interface Opened<Port> {
  system: ChosenSystem<Port>
  port: Port
}

/** 503 for the caller. The cause is logged, and not told. */
function asApiError(error: unknown, upstream: string): unknown {
  if (!(error instanceof PortUnavailable)) return error
  return new ApiError('upstream_unavailable', {
    message: `${unavailableText(upstream, error.kind)}.`,
    details: { upstream, reason: error.kind },
    headers: { 'Retry-After': String(error.retry_after_seconds) },
    cause: error,
  })
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

/** The one connector, whatever the tenant has connected. */
export const always = <Port>(connect: Connector<Port>): Chooser<Port> => {
  const system = { key: '', joins_transactions: connect.joins_transactions === true, connect }
  return async () => system
}

/**
 * The connector of the chosen system, with a budget. In a transaction nothing is shared. Another system is read while no
 * transaction is open, if the work of the transaction can be done again; one that joins transactions reads what they
 * have written.
 */
export function budgeted<Port extends object>(
  { upstream, calls }: PortDescription<Port>,
  choose: Chooser<Port>,
  {
    read_ms = 8000,
    write_ms = 20_000,
    share_ms = 5000,
    elapsed = () => performance.now(),
    record = () => {},
    now = () => new Date(),
  }: Budget = {},
): Connector<Port> {
  const shared = sharedReads(share_ms, elapsed)
  const late = (): Error => new PortUnavailable(`The ${upstream} did not answer in time`)
  return (ctx) => {
    const { viewer, transaction, external_reads, pace = 'PERSON', prepaid, signal } = ctx
    const asker = { pace, ...(prepaid && { prepaid }), ...(signal && { signal }) }
    const tenancy = JSON.stringify([viewer?.tenant_id, viewer?.environment])
    const forget = (): void => shared.forget(tenancy)
    // Time in which an adapter waits for our own database is time upstream.
    const own: PortContext = { ...ctx, db_time: new Stopwatch() }
    let opened: Promise<Opened<Port>> | undefined
    const open = async (): Promise<Opened<Port>> => {
      const system = await choose(own)
      return { system, port: system.connect(own) }
    }
    const its = (): Promise<Opened<Port>> => {
      opened ??= open()
      return opened
    }

    /**
     * Makes the call within the time that it may take, and records it once however many share its answer. Waits of its requests for
     * their turn are no part of the time, but for a write.
     */
    const recorded = async (
      ms: number,
      work: () => Promise<unknown>,
      is_bounded = false,
    ): Promise<unknown> => {
      const deadline = createDeadline(ms, late, elapsed)
      const call = () => onBehalfOf({ ...asker, is_bounded }, () => withDeadline(deadline, work))
      if (!viewer) return await call()
      const { tenant_id, environment } = viewer
      const at = now()
      const answered = (ok: boolean): void =>
        record({ tenant_id, environment, upstream, at, wait_seconds: deadline.used() / 1000, ok })
      try {
        const answer = await call()
        answered(true)
        return answer
      } catch (error) {
        answered(error instanceof PortRefusal)
        throw error
      }
    }

    /** Measures the call as time that the request waits for other systems. */
    const measured = async (work: () => Promise<unknown>): Promise<unknown> => {
      ctx.upstream_time?.start()
      try {
        return await work()
      } catch (error) {
        throw asApiError(error, upstream)
      } finally {
        ctx.upstream_time?.stop()
      }
    }

    const callsOf = (name: keyof Port): Record<'READ' | 'OUTCOME' | 'WRITE', Call> => {
      const ask = (on: Port, args: unknown[]): Promise<unknown> => (on[name] as Call)(...args)
      const timed = (on: Port, args: unknown[]) => recorded(read_ms, () => ask(on, args))
      return {
        async READ(...args) {
          const { system, port } = await its()
          if (transaction ? !external_reads || system.joins_transactions : ctx.fresh)
            return await timed(port, args)
          const question = `${upstream} ${tenancy} ${system.key} ${pace} ${String(name)} ${JSON.stringify(args)}`
          if (!transaction) return await shared.read(tenancy, question, () => timed(port, args))
          const alone = system.connect({ ...own, transaction: null })
          const ask = () => measured(() => timed(alone, args))
          return await (external_reads?.read(question, ask) ?? timed(port, args))
        },
        OUTCOME: async (...args) => await timed((await its()).port, args),
        async WRITE(...args) {
          transaction?.onEnd(forget)
          const { port } = await its()
          const make = () => {
            const made = ask(port, args)
            // Also if the write ends after its time: what is read before it ends is older than the write.
            made.then(forget, forget)
            return made
          }
          return await recorded(write_ms, make, true)
        },
      }
    }

    const client = {} as Record<keyof Port, Call>
    for (const name of Object.keys(calls) as (keyof Port)[]) {
      const call = callsOf(name)[calls[name]]
      client[name] = (...args) => measured(() => call(...args))
    }
    return client as Port
  }
}
