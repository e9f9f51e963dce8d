/** What every mutation gets: one transaction, a second try after a lost race, and proof that what it changed was recorded. */
import type { GraphQLFieldResolver } from 'graphql'
import { inTransaction } from '../db/db.ts'
import { unavailable } from '../errors.ts'
import type { Context } from '../gateway/context.ts'
import { lostRace } from '../gateway/errors.ts'

const TRIES = 3

/** Milliseconds a mutation's transaction may take. */
export const WRITE_MS = 30_000

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))

/** The outcome of the first try that loses no race; 503 after the third. */
export async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!lostRace(error)) throw error
      if (attempt === TRIES) throw unavailable(1, error)
      await pause(Math.random() * 50 * attempt)
    }
  }
}

/** Answers with the row as it is stored: it has what was asked for already, so that no activity is recorded. */
export function unchanged<Row>(ctx: Context, stored: Row): Row {
  ctx.outcome = 'UNCHANGED'
  return stored
}

/** Runs the resolver in a transaction: the caller's, where there is one already. */
export function mutation(
  resolve: GraphQLFieldResolver<unknown, Context>,
): GraphQLFieldResolver<unknown, Context> {
  return async (root, args, ctx, info) => {
    const change = async () => {
      ctx.outcome = null
      const result = await resolve(root, args, ctx, info)
      if (ctx.outcome === null) throw new Error(`${info.fieldName} recorded no activity`)
      return result
    }
    if (ctx.transaction) return await change()
    return await retried(() => inTransaction(ctx, WRITE_MS, change))
  }
}
