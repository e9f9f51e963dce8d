/** Runs mutations: each in one transaction, with a check that its change was recorded. */
import type { GraphQLFieldResolver } from 'graphql'
import type { Context } from '../../gateway/context.ts'
import { transact } from '../../gateway/transaction.ts'

/** Answers with the row as it is stored: it has what was asked for already, so that no activity is recorded. */
export function unchanged<Row>(ctx: Pick<Context, 'outcome'>, stored: Row): Row {
  ctx.outcome = 'UNCHANGED'
  return stored
}

/** Runs the resolver in a transaction: in the one that keeps the answer under an `Idempotency-Key`, or in its own. */
export function mutation(
  resolve: GraphQLFieldResolver<unknown, Context>,
  { activity }: { activity: boolean },
): GraphQLFieldResolver<unknown, Context> {
  return async (root, args, ctx, info) => {
    const change = async () => {
      ctx.outcome = null
      const result = await resolve(root, args, ctx, info)
      if (activity && ctx.outcome === null) throw new Error(`${info.fieldName} recorded no activity`)
      return result
    }
    return await (ctx.transaction ? change() : transact(ctx, change, { write_is_last: true }))
  }
}
