/** Links that a mutation is about to change. */
import { callerOf, personOf } from '../../access/viewer.ts'
import { db, scoped, sql } from '../../db/db.ts'
import type { Context } from '../../gateway/context.ts'
import type { CompanyLinkSystem } from '../integrations/index.ts'
import { COLUMNS, type Link } from './company-link.ts'
import type { By } from './rules.ts'

export interface HeldLink extends Link {
  confirmed_at: Date | null
  readonly hidden: boolean
}

// In one order, so that two mutations of the same links wait for each other instead of both giving up.
const LOCK = scoped(
  'company_links.lock',
  `select ${COLUMNS}, l.confirmed_at, l.hidden from company_link l
   where l.tenant_id = $1 and l.environment = $2 and l.system = $3::text
     and (l.external_id = any($4::text[]) or (l.psa_company_id = $5::text and l.is_primary))
   order by l.external_id
   for update`,
)

/**
 * Those of the links that exist, held until the mutation ends; and the primary one of a company that is about to
 * get another.
 */
export const heldLinks = (
  ctx: Context,
  system: CompanyLinkSystem,
  external_ids: readonly string[],
  primary_of: string | null = null,
): Promise<HeldLink[]> => sql<HeldLink>(ctx, LOCK, [system, external_ids, primary_of])

type Change = Partial<Omit<HeldLink, 'system' | 'external_id' | 'external_name' | 'revision'>>

/** Changes held links of one system, each to its next revision. */
export async function changeLinks(
  ctx: Context,
  system: CompanyLinkSystem,
  links: readonly HeldLink[],
  // Kept by the database.
  { hidden: _hidden, ...change }: Change,
): Promise<void> {
  await db(ctx).companyLink.updateMany({
    where: { system, external_id: { in: links.map(({ external_id }) => external_id) } },
    data: { ...change, revision: { increment: 1 }, updated_at: ctx.now },
  })
}

type Identity = Pick<Link, 'system' | 'external_id'>

/** What a link is called in the activity log. */
const idOf = ({ system, external_id }: Identity): string => `${system}/${external_id}`

/** A link as the target of an activity. */
export const targetOf = ({ external_name, ...link }: Identity & Pick<Link, 'external_name'>) => ({
  type: 'company_link',
  id: idOf(link),
  name: external_name ?? link.external_id,
})

/** The caller as the one who maps now. */
export const byCaller = (ctx: Context): By => ({ mapped_by: personOf(callerOf(ctx)), mapped_at: ctx.now })
