/** The directories of Autotask PSA, by id. Sources as in `api.ts`. */
import type { z } from 'zod'
import type { DirectorySearch, Psa } from '../psa.ts'
import { domainsOf } from '../words.ts'
import type { Identified } from './answers.ts'
import type { Api } from './api.ts'
import { COMPANY, COMPANY_FIELDS, companyOf } from './companies.ts'
import { CONTACT, CONTACT_FIELDS, contactOf, RESOURCE, RESOURCE_FIELDS, technicianOf } from './people.ts'
import { filters, since } from './query.ts'

type Directory = Pick<Psa, 'companyPage' | 'contactPage' | 'technicianPage'>

export function directoryOf(api: Api): Directory {
  async function page<Row extends Identified, Made>(
    form: z.ZodType<Row>,
    entity: string,
    fields: readonly string[],
    changed: string | null,
    { after, changed_since }: DirectorySearch,
    make: (row: Row) => Made,
  ) {
    const conditions = filters(changed_since && changed !== null && since(changed, changed_since))
    const { rows, next } = await api.after(form, entity, conditions, after, { fields })
    return { rows: rows.map(make), next }
  }
  return {
    companyPage: (search) =>
      page(COMPANY, 'Companies', COMPANY_FIELDS, 'lastTrackedModifiedDateTime', search, (row) => ({
        ...companyOf(row),
        domains: domainsOf(row.webAddress),
      })),
    contactPage: (search) => page(CONTACT, 'Contacts', CONTACT_FIELDS, 'lastModifiedDate', search, contactOf),
    // A resource does not tell when it changed. [SW]
    technicianPage: (search) => page(RESOURCE, 'Resources', RESOURCE_FIELDS, null, search, technicianOf),
  }
}
