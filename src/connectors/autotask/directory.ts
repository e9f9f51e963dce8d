/** The directories of Autotask PSA, by id. Sources as in `api.ts`. */
import type { DirectorySearch, Psa } from '../psa.ts'
import { domainsOf } from '../words.ts'
import type { Identified } from './answers.ts'
import type { Api } from './api.ts'
import { COMPANY_FIELDS, type CompanyRow, companyOf } from './companies.ts'
import {
  CONTACT_FIELDS,
  type ContactRow,
  contactOf,
  RESOURCE_FIELDS,
  type ResourceRow,
  technicianOf,
} from './people.ts'
import { filters, since } from './query.ts'

type Directory = Pick<Psa, 'companyPage' | 'contactPage' | 'technicianPage'>

export function directoryOf(api: Api): Directory {
  async function page<Row extends Identified, Made>(
    entity: string,
    fields: readonly string[],
    changed: string | null,
    { after, changed_since }: DirectorySearch,
    make: (row: Row) => Made,
  ) {
    const conditions = filters(changed_since && changed !== null && since(changed, changed_since))
    const { rows, next } = await api.after<Row>(entity, conditions, after, { fields })
    return { rows: rows.map(make), next }
  }
  return {
    companyPage: (search) =>
      page('Companies', COMPANY_FIELDS, 'lastTrackedModifiedDateTime', search, (row: CompanyRow) => ({
        ...companyOf(row),
        domains: domainsOf(row.webAddress),
      })),
    contactPage: (search) =>
      page('Contacts', CONTACT_FIELDS, 'lastModifiedDate', search, (row: ContactRow) => contactOf(row)),
    // A resource does not tell when it changed. [SW]
    technicianPage: (search) =>
      page('Resources', RESOURCE_FIELDS, null, search, (row: ResourceRow) => technicianOf(row)),
  }
}
