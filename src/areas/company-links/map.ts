/** Maps an entity to a company. */
import { found } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { change } from '../../schema/changes/change.ts'
import { lockEndCompany } from '../end-companies/index.ts'
import type { CompanyLinkSystem } from '../integrations/index.ts'
import { confirmedByCaller, type Link } from './company-link.ts'
import { judgeTaught } from './judge.ts'
import { COMPANY_LINK, lockLinks } from './queries.ts'
import { WITHOUT_COMPANY, withCompany } from './rules.ts'

interface LinkMapping {
  system: CompanyLinkSystem
  external_id: string
  psa_company_id: string | null
  is_primary?: boolean | undefined
}

/** Maps the entity to the company, or clears it; 404 when either is not the tenant's. */
export async function mapLink(ctx: Context, request: LinkMapping): Promise<Link> {
  const { system, external_id, psa_company_id, is_primary } = request
  // Sent together, the company first: two calls that both make a link its primary one come one after the other.
  const [company, locked] = await Promise.all([
    psa_company_id === null ? null : lockEndCompany(ctx, psa_company_id),
    lockLinks(ctx, system, [external_id], is_primary ? psa_company_id : null),
  ])
  const link = found(
    locked.find((row) => row.external_id === external_id),
    'company_link_not_found',
    external_id,
  )
  const mapping =
    psa_company_id === null
      ? WITHOUT_COMPANY
      : withCompany(
          link,
          found(company, 'psa_company_not_found', psa_company_id),
          is_primary,
          confirmedByCaller(ctx),
        )
  const has_taught = link.link_state === 'MANUAL' && link.psa_company_id !== psa_company_id
  const mapped = await change(ctx, COMPANY_LINK, link, {
    verb: psa_company_id === null ? 'cleared' : 'mapped',
    decide: (row) => (row === link ? mapping : { is_primary: false }),
    others: locked.filter((row) => row !== link),
    ...(has_taught && { beforeWrite: () => judgeTaught(ctx, link) }),
  })
  return { ...mapped, previous_psa_company_id: link.psa_company_id }
}
