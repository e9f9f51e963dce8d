/** The directories of ConnectWise PSA, by id. Sources as in `api.ts`. */
import type { z } from 'zod'
import type { DirectorySearch, Psa } from '../psa.ts'
import { domainsOf } from '../words.ts'
import type { Api } from './api.ts'
import { COMPANY, COMPANY_FIELDS, companyOf } from './companies.ts'
import { dateOf, every } from './conditions.ts'
import { CONTACT, CONTACT_FIELDS, contactOf, MEMBER, MEMBER_FIELDS, technicianOf } from './people.ts'

type Directory = Pick<Psa, 'companyPage' | 'contactPage' | 'technicianPage'>

export function directoryOf(api: Api): Directory {
  async function page<Row, Made>(
    form: z.ZodType<Row>,
    path: string,
    condition: string,
    { after, changed_since }: DirectorySearch,
    make: (row: Row) => Made,
    fields: string,
  ) {
    const conditions = every(condition, changed_since && `lastUpdated>=${dateOf(changed_since)}`)
    const { rows, next } = await api.after(form, path, { conditions, fields }, after)
    return { rows: rows.map(make), next }
  }
  return {
    companyPage: (search) =>
      page(
        COMPANY,
        '/company/companies',
        'deletedFlag=false',
        search,
        (row) => ({ ...companyOf(row), domains: domainsOf(row.website) }),
        COMPANY_FIELDS,
      ),
    contactPage: (search) => page(CONTACT, '/company/contacts', '', search, contactOf, CONTACT_FIELDS),
    technicianPage: (search) => page(MEMBER, '/system/members', '', search, technicianOf, MEMBER_FIELDS),
  }
}
