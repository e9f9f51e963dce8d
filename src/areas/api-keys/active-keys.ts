/** The ACTIVE keys of an environment: their names and their number. */
import { db, tenancyOf } from '../../db/db.ts'
import { lockTenant } from '../../db/transaction.ts'
import { ApiError } from '../../errors.ts'
import type { MutationContext } from '../../gateway/context.ts'
import { activeAt, MAX_ACTIVE } from './rules.ts'

/** Until the mutation ends, nobody else gives a name to a key of this environment. */
export const lockNames = (ctx: MutationContext): Promise<void> =>
  lockTenant(ctx, `${tenancyOf(ctx).environment} api_keys`)

/** 409 where an ACTIVE key other than `but` has the name. */
export async function refuseTakenName(ctx: MutationContext, name: string, but?: string): Promise<void> {
  const where = { ...activeAt(ctx.now), name, ...(but !== undefined && { id: { not: but } }) }
  const other = await db(ctx).apiKey.findFirst({ where, select: { id: true } })
  if (other) throw new ApiError('api_key_name_taken', { details: { status: 'ACTIVE', api_key_id: other.id } })
}

/** 409 where the environment has as many ACTIVE keys as it may have. */
export async function refuseTooMany(ctx: MutationContext): Promise<void> {
  const count = await db(ctx).apiKey.count({ where: activeAt(ctx.now) })
  if (count < MAX_ACTIVE) return
  throw new ApiError('api_key_limit_reached', { details: { status: 'ACTIVE', limit: MAX_ACTIVE } })
}
