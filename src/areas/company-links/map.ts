/** Maps an entity to a company. */
import { found } from '../../errors.ts'
import { record } from '../../gateway/activity.ts'
import type { Context } from '../../gateway/context.ts'
import { checkIfMatch } from '../../gateway/entity-tags.ts'
import { changesIn } from '../../lib/changes.ts'
import { unchanged } from '../../schema/mutation.ts'
import { lockEndCompany } from '../end-companies/index.ts'
import type { CompanyLinkSystem } from '../integrations/index.ts'
import { confirmedByCaller, type Link, linkEtag, targetOf } from './company-link.ts'
import { changeLinks, lockLinks } from './queries.ts'
import { withCompany, withoutCompany } from './rules.ts'

interface LinkMapping {
  system: CompanyLinkSystem
  external_id: string
  psa_company_id: string | null
  is_primary?: boolean | undefined
}

/** Maps the entity to the company, or clears it; 404 when either is not the tenant's. */
export async function mapLink(ctx: Context, request: LinkMapping): Promise<Link> {
  const { system, external_id, psa_company_id, is_primary } = request
  // The company first: two calls that both make a link its primary one come one after the other.
  const company = psa_company_id === null ? null : await lockEndCompany(ctx, psa_company_id)
  const locked = await lockLinks(ctx, system, [external_id], is_primary ? psa_company_id : null)
  const before = found(
    locked.find((link) => link.external_id === external_id),
    'company_link_not_found',
    external_id,
  )
  const after =
    psa_company_id === null
      ? withoutCompany(before)
      : withCompany(
          before,
          found(company, 'psa_company_not_found', psa_company_id),
          is_primary,
          confirmedByCaller(ctx),
        )
  checkIfMatch(ctx, linkEtag(before))
  const displaced = locked.filter((link) => link !== before)
  const changes = changesIn(before, after)
  if (!changes && displaced.length === 0) return unchanged(ctx, before)
  if (displaced.length > 0) await changeLinks(ctx, system, displaced, { is_primary: false })
  if (changes) await changeLinks(ctx, system, [before], changes)
  const revision = before.revision + (changes ? 1 : 0)
  const action = psa_company_id === null ? 'company_link.cleared' : 'company_link.mapped'
  const targets = [after, ...displaced].map(targetOf)
  await record(ctx, { action, targets, before, after: { ...after, revision } })
  return { ...after, revision }
}
