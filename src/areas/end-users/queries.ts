/** The SQL of end users. */

import { type DatabaseContext, db, scoped, sql } from '../../db/db.ts'
import { ascending } from '../../db/query/keyset.ts'
import { projection } from '../../db/query/projection.ts'
import { filtersOf } from '../../schema/lists/column-filters.ts'
import { defineList, searchFor } from '../../schema/lists/list.ts'
import { defineNestedList } from '../../schema/lists/nested-list.ts'
import { companyName, joinCompany } from '../end-companies/index.ts'
import type { EndUserRow } from './end-user.ts'

const by = filtersOf('EndUser', 'u')

const columns = projection('EndUser', 'u', {
  computed: {
    end_company_name: companyName('u'),
  },
  always: ['id'],
})

// Contract silent: end users come by name, as end companies do.
const BY_NAME = [ascending('sort_name', 'text'), ascending('id', 'text')]

export const END_USERS = defineList<EndUserRow>()({
  name: 'end_users',
  from: 'end_user u',
  columns,
  order: BY_NAME,
  facets: { status: 'u.status', is_vip: 'u.is_vip', has_email: 'u.has_email' },
  filters: {
    end_company_id: by.is('end_company_id', 'Only people at this company, by its `id`.', 'indexed'),
    has_email: by.is(
      'has_email',
      'true: only people with an e-mail address. false: only the others.',
      'facet',
    ),
    is_vip: by.is('is_vip', 'true: only VIPs. false: only the others.', 'facet'),
    status: by.isOneOf('status', 'Only people with one of these statuses', 'facet'),
    search: searchFor('u.search_text', 'Only people with this in `name` or `email`, in any letter case.'),
  },
})

/** The end users of each company of a list of companies. */
export const END_USERS_OF_COMPANY = defineNestedList<EndUserRow>({
  name: 'EndCompany.end_users',
  from: 'end_user u',
  columns,
  order: BY_NAME,
  parent: { column: 'u.end_company_id', type: 'text' },
})

/** An end user with the company in the PSA that they belong to. */
interface KnownEndUser {
  id: string
  workplace_user_id: string | null
  psa_company_id: string
}

const KNOWN = scoped(
  'end_users.known',
  `select u.id, u.workplace_user_id, c.psa_company_id from end_user u
   ${joinCompany('u')}
   where u.tenant_id = $1 and u.environment = $2 and u.status = 'ACTIVE'
     and (u.id = $3::text or u.workplace_user_id = $4::text)
   order by u.id limit 1`,
)

/** The end user with the id, or with the id in the workplace suite; null if none is ACTIVE. */
export async function endUserBy(
  ctx: DatabaseContext,
  {
    end_user_id = null,
    workplace_user_id = null,
  }: { end_user_id?: string | null; workplace_user_id?: string | null },
): Promise<KnownEndUser | null> {
  const [row] = await sql<KnownEndUser>(ctx, KNOWN, [end_user_id, workplace_user_id])
  return row ?? null
}

/** The end user as the recipient of a message; null if none is ACTIVE. */
export const addresseeOf = (
  ctx: DatabaseContext,
  id: string,
): Promise<{ name: string; email: string | null; end_company_id: string } | null> =>
  db(ctx).endUser.findFirst({
    where: { id, status: 'ACTIVE' },
    select: { name: true, email: true, end_company_id: true },
  })

/** The ACTIVE end user who is the contact in the PSA; null: there is none. */
export const endUserOfContact = (
  ctx: DatabaseContext,
  psa_contact_id: string,
): Promise<{ id: string; name: string } | null> =>
  db(ctx).endUser.findFirst({ where: { psa_contact_id, status: 'ACTIVE' }, select: { id: true, name: true } })
