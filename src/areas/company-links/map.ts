/** A person says which company an entity belongs to. */
import { db } from '../../db/db.ts'
import { found } from '../../errors.ts'
import type { Context } from '../../graphql/context.ts'
import { checkIfMatch } from '../../graphql/etag.ts'
import { record } from '../audit-log/index.ts'
import { heldEndCompany } from '../end-companies/index.ts'
import type { CompanyLinkSystem } from '../integrations/index.ts'
import { byCaller, type HeldLink, heldLinks, linkEtag, targetOf } from './held.ts'
import { cleared, mappedTo } from './rules.ts'

interface Request {
  system: CompanyLinkSystem
  external_id: string
  psa_company_id: string | null
  is_primary?: boolean | undefined
}

/** Maps the entity to the company, or clears it; 404 when either is not the tenant's. */
export async function mapLink(ctx: Context, request: Request): Promise<HeldLink> {
  const { system, external_id, psa_company_id, is_primary } = request
  // The company first: two calls that both make a link its primary one come one after the other.
  const company = psa_company_id === null ? null : await heldEndCompany(ctx, psa_company_id)
  const held = await heldLinks(ctx, system, [external_id], is_primary ? psa_company_id : null)
  const before = found(
    held.find((link) => link.external_id === external_id),
    'company_link_not_found',
    external_id,
  )
  const after =
    psa_company_id === null
      ? cleared(before)
      : mappedTo(before, found(company, 'psa_company_not_found', psa_company_id), is_primary, byCaller(ctx))
  checkIfMatch(ctx, linkEtag(before))
  return await store(ctx, before, { ...after, updated_at: ctx.now })
}

async function store(ctx: Context, before: HeldLink, after: HeldLink): Promise<HeldLink> {
  const { system, external_id, external_name, ...data } = after
  const displaced = after.is_primary ? await displace(ctx, after) : []
  await db(ctx).companyLink.updateMany({ where: { system, external_id }, data })
  const action = after.psa_company_id === null ? 'company_link.cleared' : 'company_link.mapped'
  const targets = [after, ...displaced].map((link) => targetOf({ ...link, system }))
  await record(ctx, { action, targets, before, after })
  return after
}

/** Takes the flag from the links that were the company's primary ones in this system. */
const displace = (ctx: Context, { system, external_id, psa_company_id, updated_at }: HeldLink) =>
  db(ctx).companyLink.updateManyAndReturn({
    where: { system, psa_company_id, is_primary: true, external_id: { not: external_id } },
    data: { is_primary: false, updated_at },
    select: { external_id: true, external_name: true },
  })
