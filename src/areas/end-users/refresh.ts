/** The end users as they are read from the PSA: its contacts. */
import type { PsaContact } from '../../connectors/psa.ts'
import { scoped, sql } from '../../db/db.ts'
import { unreadMarker } from '../../db/query/missing.ts'
import type { MutationContext } from '../../gateway/context.ts'
import { newId } from '../../lib/ids.ts'
import { joinCompanyByPsaId, type Refreshed } from '../end-companies/index.ts'

const FIELDS = 'name, email, phone, title, status, end_company_id'

const fieldsOf = (alias: string): string =>
  FIELDS.split(', ')
    .map((field) => `${alias}.${field}`)
    .join(', ')

// Rows are locked in one order, and compared before they are written: the insert asks for their count first. A contact of a company that the service does not know comes with the company's next read.
const REFRESH = scoped(
  'end_users.refresh',
  `with given as materialized (
     select g.*, c.id as end_company_id
     from jsonb_to_recordset($3::jsonb) as g (
       id text, psa_contact_id text, psa_company_id text, name text, email text, phone text, title text,
       status end_company_status)
     ${joinCompanyByPsaId('g.psa_company_id')}
   ), stored as materialized (
     select u.psa_contact_id, (${fieldsOf('u')}) is distinct from (${fieldsOf('g')}) as differs
     from given g join end_user u on u.tenant_id = $1 and u.environment = $2 and u.psa_contact_id = g.psa_contact_id
     order by u.psa_contact_id for update of u
   ), written as (
     insert into end_user (tenant_id, environment, id, psa_contact_id, ${FIELDS}, last_synced_at, created_at, updated_at)
     select $1, $2, g.id, g.psa_contact_id, ${fieldsOf('g')}, $4::timestamptz, $4::timestamptz, $4::timestamptz
     from given g where (select count(*) from stored) >= 0 order by g.psa_contact_id
     on conflict (tenant_id, environment, psa_contact_id) do update
     set (${FIELDS}) = (${fieldsOf('excluded')}), last_synced_at = excluded.last_synced_at,
       updated_at = case when (${fieldsOf('end_user')}) is distinct from (${fieldsOf('excluded')})
         then excluded.updated_at else end_user.updated_at end
     returning psa_contact_id
   )
   select count(*) filter (where s.psa_contact_id is null)::int as added, count(*) filter (where s.differs)::int as changed
   from written w left join stored s using (psa_contact_id)`,
)

/** Stores contacts as the PSA has them now. */
export async function refreshEndUsers(
  ctx: MutationContext,
  contacts: readonly PsaContact[],
): Promise<Refreshed> {
  const rows = contacts.map(({ contact_id, is_active, ...contact }) => ({
    ...contact,
    id: newId('eu'),
    psa_contact_id: contact_id,
    status: is_active ? 'ACTIVE' : 'INACTIVE',
  }))
  const [counts] = await sql<Refreshed>(ctx, REFRESH, [JSON.stringify(rows), ctx.now])
  return counts ?? { added: 0, changed: 0 }
}

export const markMissingEndUsers = unreadMarker('end_users.mark_missing', 'end_user')
