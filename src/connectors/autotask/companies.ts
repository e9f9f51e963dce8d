/** Companies and contracts of Autotask PSA. Sources as in `api.ts`. */
import type { z } from 'zod'
import { choiceId, flag, maybe, text } from '../http/forms.ts'
import type { Psa, PsaCompany, PsaOption } from '../psa.ts'
import { byName, domainsOf, hasWords, wordsOf } from '../words.ts'
import { IDENTIFIED } from './answers.ts'
import { type Api, rowsOf } from './api.ts'
import { contains, eq, filters, idOf } from './query.ts'

/** [PM, AC] */
export const COMPANY = IDENTIFIED.extend({
  companyName: text,
  webAddress: text,
  isActive: flag,
  companyType: maybe(choiceId),
  classification: maybe(choiceId),
  territoryID: maybe(choiceId),
})

type CompanyRow = z.infer<typeof COMPANY>

export const CONTRACT = IDENTIFIED.extend({ contractName: text })

type ContractRow = z.infer<typeof CONTRACT>

export const COMPANY_FIELDS = Object.keys(COMPANY.shape)

/** Fields that companies are filtered by, and the fields of a company that have their choices. [AC] */
const FIELDS = [
  { field_name: 'type', label: 'Type', from: 'companyType' },
  { field_name: 'classification', label: 'Classification', from: 'classification' },
  { field_name: 'territory', label: 'Territory', from: 'territoryID' },
] as const

/** Each field counts its choices for itself: the remainder says of which field an id is. */
const optionId = (index: number, value: number): number => value * FIELDS.length + index

export const companyOf = (row: CompanyRow): PsaCompany => ({
  psa_company_id: String(row.id),
  name: row.companyName ?? '',
  is_active: row.isActive !== false,
  attributes: Object.fromEntries(
    FIELDS.flatMap(({ field_name, from }, index) => {
      const value = row[from]
      return value == null ? [] : [[field_name, optionId(index, value)]]
    }),
  ),
})

/** An active contract has status 1. [WY] */
const ACTIVE = 1

/** The contracts that a company has at present: its agreements. */
export const contractsOf = (api: Api, company_id: number): Promise<ContractRow[]> =>
  api.all(CONTRACT, 'Contracts', [eq('companyID', company_id), eq('status', ACTIVE)], ['id', 'contractName'])

type Companies = Pick<
  Psa,
  'companyFields' | 'companies' | 'company' | 'companyNames' | 'companyDetails' | 'searchCompanies'
>

export function companiesOf(api: Api): Companies {
  const row = async (psa_company_id: string): Promise<CompanyRow | null> => {
    const id = idOf(psa_company_id)
    return id === null ? null : await api.get(COMPANY, 'Companies', id)
  }
  return {
    async companyFields() {
      const choices = await api.choices('Companies')
      return FIELDS.map(({ field_name, label, from }, index) => {
        const options: PsaOption[] = (choices[from] ?? []).map(({ value, label: name }) => ({
          id: optionId(index, value),
          name,
        }))
        return { field_name, label, options: options.sort((one, other) => one.id - other.id) }
      })
    },
    async companies() {
      const rows = await api.all(COMPANY, 'Companies', [], COMPANY_FIELDS)
      return rows.map(companyOf).sort(byName)
    },
    async company(psa_company_id) {
      const found = await row(psa_company_id)
      return found && companyOf(found)
    },
    async companyNames(psa_company_ids) {
      const ids = psa_company_ids.map(idOf)
      const rows = await rowsOf(api, COMPANY, 'Companies', ids, ['id', 'companyName'])
      return ids.map((id) => (id === null ? null : (rows.get(id)?.companyName ?? null)))
    },
    async companyDetails(psa_company_id) {
      const found = await row(psa_company_id)
      if (!found) return null
      const contracts = await contractsOf(api, found.id)
      return {
        // A company has no domains, but a website. [PM]
        domains: domainsOf(found.webAddress),
        agreements: contracts.map(({ contractName }) => contractName ?? '').sort(),
      }
    },
    async searchCompanies({ words, limit }) {
      const wanted = wordsOf(words)
      const conditions = filters(...wanted.map((word) => contains(['companyName', 'webAddress'], word)))
      const rows = await api.all(COMPANY, 'Companies', conditions, COMPANY_FIELDS)
      return rows
        .filter(({ companyName, webAddress }) => hasWords(wanted, [companyName, webAddress]))
        .map(companyOf)
        .sort(byName)
        .slice(0, limit)
    },
  }
}
