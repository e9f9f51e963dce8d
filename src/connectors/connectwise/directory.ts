/** The directories of ConnectWise PSA, by id. Sources as in `api.ts`. */
import type { DirectorySearch, Psa } from '../psa.ts'
import { domainsOf } from '../words.ts'
import type { Api, Named } from './api.ts'
import { type CompanyRow, companyOf } from './companies.ts'
import { dateOf, every } from './conditions.ts'
import { type ContactRow, contactOf, type MemberRow, technicianOf } from './people.ts'

type Directory = Pick<Psa, 'companyPage' | 'contactPage' | 'technicianPage'>

export function directoryOf(api: Api): Directory {
  async function page<Row extends Named, Made>(
    path: string,
    condition: string,
    { after, changed_since }: DirectorySearch,
    make: (row: Row) => Made,
  ) {
    const conditions = every(condition, changed_since && `lastUpdated>=${dateOf(changed_since)}`)
    const { rows, next } = await api.after<Row>(path, { conditions }, after)
    return { rows: rows.map(make), next }
  }
  return {
    companyPage: (search) =>
      page('/company/companies', 'deletedFlag=false', search, (row: CompanyRow) => ({
        ...companyOf(row),
        domains: domainsOf(row.website),
      })),
    contactPage: (search) => page('/company/contacts', '', search, (row: ContactRow) => contactOf(row)),
    technicianPage: (search) => page('/system/members', '', search, (row: MemberRow) => technicianOf(row)),
  }
}
