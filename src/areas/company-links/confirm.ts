/** A person vouches for links that a sync made. */
import { db } from '../../db/db.ts'
import { ApiError } from '../../errors.ts'
import type { Context } from '../../graphql/context.ts'
import { record } from '../audit-log/index.ts'
import type { CompanyLinkSystem } from '../integrations/index.ts'
import { byCaller, type HeldLink, heldLinks, targetOf } from './held.ts'
import { obstacle, vouchedFor } from './rules.ts'

interface Request {
  system: CompanyLinkSystem
  external_ids: readonly string[]
}

/** Confirms all of the links or none, and gives them in the order of their first mention. */
export async function confirmLinks(ctx: Context, { system, external_ids }: Request): Promise<HeldLink[]> {
  const ids = [...new Set(external_ids)]
  const held = new Map((await heldLinks(ctx, system, ids)).map((link) => [link.external_id, link]))
  const problem = obstacle(ids, held)
  if (problem) throw new ApiError(problem.code, { details: { id: problem.id } })
  const before = ids.flatMap((id) => held.get(id) ?? [])
  // Contract silent: confirming is mapping to the company that the link has already.
  const change = { ...vouchedFor(byCaller(ctx)), updated_at: ctx.now }
  const after = before.map((link) => (link.link_state === 'MANUAL' ? link : { ...link, ...change }))
  await db(ctx).companyLink.updateMany({
    where: { system, external_id: { in: ids }, link_state: { not: 'MANUAL' } },
    data: change,
  })
  await record(ctx, { action: 'company_link.confirmed', targets: after.map(targetOf), before, after })
  return after
}
