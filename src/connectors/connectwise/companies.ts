/** Companies and agreements of ConnectWise PSA. Sources as in `api.ts`. */

import { z } from 'zod'
import { choiceId, count, flag, maybe, NAMED, text } from '../http/forms.ts'
import { idOf } from '../ids.ts'
import type { Psa, PsaCompany, PsaOption } from '../psa.ts'
import { byName, domainsOf, hasWords, wordsOf } from '../words.ts'
import { type Api, fieldsOf } from './api.ts'
import { contains, every } from './conditions.ts'

const CHOICE = NAMED.extend({ id: choiceId })

export const COMPANY = z.object({
  id: count,
  name: text,
  website: text,
  deletedFlag: flag,
  status: maybe(CHOICE),
  types: maybe(z.array(CHOICE)),
  territory: maybe(CHOICE),
})

type CompanyRow = z.infer<typeof COMPANY>

/** The fields of companies that are read. */
export const COMPANY_FIELDS = fieldsOf(COMPANY)

/** Fields that companies are filtered by, with the collections of their choices. [OA] */
const FIELDS = [
  { field_name: 'type', label: 'Type', path: '/company/companies/types' },
  { field_name: 'status', label: 'Status', path: '/company/companies/statuses' },
  { field_name: 'territory', label: 'Territory', path: '/system/locations' },
] as const

/** Each field counts its options for itself: the remainder says of which field an id is. */
const optionId = (field_name: string, id: number): number =>
  id * FIELDS.length + FIELDS.findIndex((field) => field.field_name === field_name)

export function companyOf({ id, name, deletedFlag, status, types, territory }: CompanyRow): PsaCompany {
  const values = { type: types?.[0], status, territory }
  return {
    psa_company_id: String(id),
    name: name ?? '',
    // Unverified: no flag says that a company is inactive, but its status of that name.
    is_active: !deletedFlag && status?.name?.toLowerCase() !== 'inactive',
    attributes: Object.fromEntries(
      Object.entries(values).flatMap(([field, value]) => (value ? [[field, optionId(field, value.id)]] : [])),
    ),
  }
}

const NOT_DELETED = 'deletedFlag=false'
const IDS_PER_REQUEST = 100

type Companies = Pick<
  Psa,
  'companyFields' | 'companies' | 'company' | 'companyNames' | 'companyDetails' | 'searchCompanies'
>

export function companiesOf(api: Api): Companies {
  const row = async (psa_company_id: string): Promise<CompanyRow | null> => {
    const id = idOf(psa_company_id)
    return id === null ? null : await api.get(COMPANY, `/company/companies/${id}`)
  }
  return {
    companyFields: () =>
      Promise.all(
        FIELDS.map(async ({ field_name, label, path }) => {
          const rows = await api.all(CHOICE, path)
          const options: PsaOption[] = rows.map(({ id, name = '' }) => ({
            id: optionId(field_name, id),
            name,
          }))
          return { field_name, label, options }
        }),
      ),
    async companies() {
      const rows = await api.all(COMPANY, '/company/companies', {
        conditions: NOT_DELETED,
        fields: COMPANY_FIELDS,
      })
      return rows.map(companyOf).sort(byName)
    },
    async company(psa_company_id) {
      const found = await row(psa_company_id)
      return found && companyOf(found)
    },
    async companyNames(psa_company_ids) {
      const ids = [...new Set(psa_company_ids.flatMap((text) => idOf(text) ?? []))]
      const names = new Map<string, string>()
      for (let at = 0; at < ids.length; at += IDS_PER_REQUEST) {
        const conditions = `id in (${ids.slice(at, at + IDS_PER_REQUEST).join(',')})`
        const rows = await api.all(NAMED, '/company/companies', { conditions, fields: 'id,name' })
        for (const { id, name } of rows) names.set(String(id), name ?? '')
      }
      return psa_company_ids.map((id) => names.get(id) ?? null)
    },
    async companyDetails(psa_company_id) {
      const found = await row(psa_company_id)
      if (!found) return null
      const agreements = await api.all(NAMED, '/finance/agreements', {
        conditions: `company/id=${found.id} and cancelledFlag=false`,
      })
      // A company has no domains, but a website. [OA]
      return { domains: domainsOf(found.website), agreements: agreements.map(({ name = '' }) => name).sort() }
    },
    async searchCompanies({ words, limit }) {
      const wanted = wordsOf(words)
      const conditions = every(NOT_DELETED, ...wanted.map((word) => contains(['name', 'website'], word)))
      const rows = await api.all(COMPANY, '/company/companies', { conditions, fields: COMPANY_FIELDS })
      return rows
        .filter(({ name, website }) => hasWords(wanted, [name, website]))
        .map(companyOf)
        .sort(byName)
        .slice(0, limit)
    },
  }
}
