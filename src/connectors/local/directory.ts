/** The directories of the local PSA, by their ids. It cannot tell what changed since when. */
import { scoped, sql } from '../../db/db.ts'
import type { Statement } from '../../db/sql.ts'
import type { PortContext } from '../port.ts'
import type {
  DirectoryPage,
  DirectorySearch,
  Psa,
  PsaContact,
  PsaDirectoryCompany,
  PsaTechnician,
} from '../psa.ts'
import { COMPANY_COLUMNS } from './companies.ts'
import { CONTACT_COLUMNS } from './people.ts'

const PAGE = 500

const COMPANIES = scoped(
  'psa.company_page',
  `select ${COMPANY_COLUMNS}, coalesce(c.domains, '{}') as domains from end_company c
   where c.tenant_id = $1 and c.environment = $2 and ($3::text is null or c.psa_company_id > $3::text)
   order by c.psa_company_id limit ${PAGE}`,
)

const CONTACTS = scoped(
  'psa.contact_page',
  `select ${CONTACT_COLUMNS} from psa_contact c
   where c.tenant_id = $1 and c.environment = $2 and ($3::text is null or c.contact_id > $3::text)
   order by c.contact_id limit ${PAGE}`,
)

const TECHNICIANS = scoped(
  'psa.technician_page',
  `select t.psa_id, t.name, t.email from psa_technician t
   where t.tenant_id = $1 and t.environment = $2 and ($3::text is null or t.psa_id > $3::text::int)
   order by t.psa_id limit ${PAGE}`,
)

export function directoryOf(ctx: PortContext): Pick<Psa, 'companyPage' | 'contactPage' | 'technicianPage'> {
  const pages =
    <Row>(statement: Statement, idOf: (row: Row) => string) =>
    async ({ after }: DirectorySearch): Promise<DirectoryPage<Row>> => {
      const rows = await sql<Row & object>(ctx, statement, [after])
      const last = rows.at(-1)
      return { rows, next: last && rows.length === PAGE ? idOf(last) : null }
    }
  return {
    companyPage: pages<PsaDirectoryCompany>(COMPANIES, ({ psa_company_id }) => psa_company_id),
    contactPage: pages<PsaContact>(CONTACTS, ({ contact_id }) => contact_id),
    technicianPage: pages<PsaTechnician>(TECHNICIANS, ({ psa_id }) => String(psa_id)),
  }
}
