/** Confirms links that a sync made. */
import { ApiError } from '../../errors.ts'
import { record } from '../../gateway/activity.ts'
import type { Context } from '../../gateway/context.ts'
import { unchanged } from '../../schema/mutation.ts'
import type { CompanyLinkSystem } from '../integrations/index.ts'
import { confirmedByCaller, type Link, targetOf } from './company-link.ts'
import { changeLinks, lockLinks } from './queries.ts'
import { confirmation, confirmationProblem, isConfirmed } from './rules.ts'

interface LinkConfirmation {
  system: CompanyLinkSystem
  external_ids: readonly string[]
}

/** Confirms all of the links or none, and gives them in the order of their first mention. */
export async function confirmLinks(
  ctx: Context,
  { system, external_ids }: LinkConfirmation,
): Promise<Link[]> {
  const ids = [...new Set(external_ids)]
  const locked = new Map((await lockLinks(ctx, system, ids)).map((link) => [link.external_id, link]))
  const problem = confirmationProblem(ids, locked)
  if (problem) {
    const [id] = problem.ids
    throw new ApiError(problem.code, { details: { id, ids: problem.ids } })
  }
  const links = ids.flatMap((id) => locked.get(id) ?? [])
  const before = links.filter((link) => !isConfirmed(link))
  if (before.length === 0) return unchanged(ctx, links)
  // Contract silent: confirming is mapping to the company that the link has already.
  const change = confirmation(confirmedByCaller(ctx))
  await changeLinks(ctx, system, before, change)
  const confirmed = (link: Link) =>
    isConfirmed(link) ? link : { ...link, ...change, revision: link.revision + 1 }
  const after = before.map(confirmed)
  await record(ctx, { action: 'company_link.confirmed', targets: after.map(targetOf), before, after })
  return links.map(confirmed)
}
