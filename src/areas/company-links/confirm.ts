/** Confirms links that a sync made. */
import { ApiError } from '../../errors.ts'
import type { Context } from '../../gateway/context.ts'
import { changeAll } from '../../schema/change.ts'
import type { CompanyLinkSystem } from '../integrations/index.ts'
import { confirmedByCaller, type Link } from './company-link.ts'
import { COMPANY_LINK, lockLinks } from './queries.ts'
import { confirmation, confirmationProblem, isConfirmed } from './rules.ts'

interface LinkConfirmation {
  system: CompanyLinkSystem
  external_ids: readonly string[]
}

/** Confirms all of the links or none, and gives them in the order of their first mention. */
export async function confirmLinks(
  ctx: Context,
  { system, external_ids }: LinkConfirmation,
): Promise<readonly Link[]> {
  const ids = [...new Set(external_ids)]
  const locked = new Map((await lockLinks(ctx, system, ids)).map((link) => [link.external_id, link]))
  const problem = confirmationProblem(ids, locked)
  if (problem) {
    const [id] = problem.ids
    throw new ApiError(problem.code, { details: { id, ids: problem.ids } })
  }
  const links = ids.flatMap((id) => locked.get(id) ?? [])
  return await changeAll(ctx, COMPANY_LINK, links, {
    verb: 'confirmed',
    // Contract silent: confirming is mapping to the company that the link has already.
    decide: (link) => (isConfirmed(link) ? {} : confirmation(confirmedByCaller(ctx))),
  })
}
