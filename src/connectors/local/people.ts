/** The technicians and contacts of the local PSA. */
import { scoped, sql } from '../../db/db.ts'
import { emailForms } from '../../lib/email-address.ts'
import { searchable, wordPatterns } from '../../lib/like-pattern.ts'
import type { PortContext } from '../port.ts'
import type { Psa, PsaContact, PsaTechnician } from '../psa.ts'

const TECHNICIAN = scoped(
  'psa.technician',
  `select t.psa_id, t.name, t.email from psa_technician t
   where t.tenant_id = $1 and t.environment = $2 and t.psa_id = $3::int`,
)

export const CONTACT_COLUMNS =
  'c.contact_id, c.psa_company_id, c.name, c.email, c.phone, c.title, c.is_active'

const CONTACT = scoped(
  'psa.contact',
  `select ${CONTACT_COLUMNS} from psa_contact c
   where c.tenant_id = $1 and c.environment = $2 and c.contact_id = $3::text`,
)

const BY_EMAIL = scoped(
  'psa.contact_by_email',
  `select ${CONTACT_COLUMNS} from psa_contact c
   where c.tenant_id = $1 and c.environment = $2 and c.psa_company_id = $3::text and c.email_key = any($4::text[])
   order by c.is_active desc, c.contact_id limit 1`,
)

const SEARCH = scoped(
  'psa.search_contacts',
  `select ${CONTACT_COLUMNS} from psa_contact c
   where c.tenant_id = $1 and c.environment = $2 and c.is_active
     and ($3::text is null or c.psa_company_id = $3::text)
     and ${searchable(`concat_ws(' ', c.name, c.email, c.phone)`)} like all($4::text[])
   order by lower(c.name), c.contact_id limit $5::int`,
)

type People = Pick<Psa, 'technician' | 'contact' | 'contactByEmail' | 'searchContacts'>

export const peopleOf = (ctx: PortContext): People => ({
  technician: async (psa_id) => (await sql<PsaTechnician>(ctx, TECHNICIAN, [psa_id]))[0] ?? null,
  contact: async (contact_id) => (await sql<PsaContact>(ctx, CONTACT, [contact_id]))[0] ?? null,
  async contactByEmail(psa_company_id, email) {
    const [contact] = await sql<PsaContact>(ctx, BY_EMAIL, [psa_company_id, emailForms(email)])
    return contact ?? null
  },
  searchContacts: ({ words, psa_company_id, limit }) =>
    sql<PsaContact>(ctx, SEARCH, [psa_company_id, wordPatterns(words), limit]),
})
