/** Trials: a call is made and taken back, so that its refusal is known and nothing else is left of it. */
import { inTransaction, withoutCommit } from '../db/transaction.ts'
import type { Context } from '../gateway/context.ts'

const SAVEPOINT_MS = 30_000

/**
 * The context of a call in the transaction of another one: outside every channel, so that no approval is asked for, and
 * with an answer of its own.
 */
export const contextWithin = (ctx: Context): Context => ({
  ...ctx,
  viewer: ctx.viewer && { ...ctx.viewer, channel: null },
  transaction: ctx.transaction && withoutCommit(ctx.transaction),
  warnings: [],
  etags: new Map(),
  location: null,
  secret_of: null,
  outcome: null,
})

/** Runs the work of a call within another one: what it wrote is rolled back if it is refused. */
export const nested = <Result>(own: Context, work: () => Promise<Result>): Promise<Result> =>
  inTransaction(own, SAVEPOINT_MS, work)

/** Makes a call and takes it back. Throws its refusal. */
export async function tryOut(ctx: Context, call: (own: Context) => unknown): Promise<void> {
  const own = { ...contextWithin(ctx), trial: true } as const
  const taken_back = new Error('It was a trial')
  try {
    await nested(own, async () => {
      await call(own)
      throw taken_back
    })
  } catch (error) {
    if (error !== taken_back) throw error
  }
}
