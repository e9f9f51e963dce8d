/** Confirms links that a sync made. */
import { ApiError } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { changeAll } from '../../schema/changes/change.ts'
import type { CompanyLinkSystem } from '../integrations/index.ts'
import { confirmedByCaller, type Link } from './company-link.ts'
import { COMPANY_LINK, lockLinks } from './queries.ts'
import { confirmation, confirmationProblem, isConfirmed } from './rules.ts'

/** The most links that a message names. */
const NAMED = 5

interface LinkConfirmation {
  system: CompanyLinkSystem
  external_ids: readonly string[]
}

/** The missing parts of links that cannot be confirmed. */
const unmapped = (ids: readonly string[]): string =>
  `${ids.slice(0, NAMED).join(', ')}${ids.length > NAMED ? ' and others' : ''}: no psa_company_id is set. Confirming keeps a ` +
  'company that a sync found; map the link to one instead.'

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
    throw new ApiError(problem.code, {
      ...(problem.code === 'company_link_unmapped' && { message: unmapped(problem.ids) }),
      details: {
        id,
        ids: problem.ids,
        ...(problem.code === 'company_link_unmapped' && { missing: ['psa_company_id'] }),
      },
    })
  }
  const links = ids.flatMap((id) => locked.get(id) ?? [])
  return await changeAll(ctx, COMPANY_LINK, links, {
    verb: 'confirmed',
    // Contract silent: confirming is mapping to the company that the link has already.
    decide: (link) =>
      isConfirmed(link) ? {} : confirmation(link, link.psa_company_name, confirmedByCaller(ctx)),
  })
}
