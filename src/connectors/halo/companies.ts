/** Companies and agreements of HaloPSA, which calls them clients and contracts. Sources as in `api.ts`. */

import { z } from 'zod'
import { amount, choiceId, count, flag, maybe, NAMED, type Named, reference, text } from '../http/forms.ts'
import { idOf } from '../ids.ts'
import type { Psa, PsaCompany, PsaOption } from '../psa.ts'
import { byName, hasWords, wordsOf } from '../words.ts'
import { type Api, longestPart } from './api.ts'
import { domainsOfMainSite, domainsOfSites, ownDomains } from './domains.ts'

/** [SW: Area, Area_List] */
export const COMPANY = NAMED.extend({
  inactive: flag,
  website: text,
  domain: text,
  main_site_id: amount,
  toplevel_id: maybe(choiceId),
  toplevel_name: text,
  customer_relationship: maybe(z.array(NAMED.extend({ id: choiceId }))),
})

export type CompanyRow = z.infer<typeof COMPANY>

/** A contract is known by its reference. [SW] */
const CONTRACT = z.object({ id: count, ref: text })

/** What companies are filtered by. The rows of companies name the choices. */
const FIELDS = [
  {
    field_name: 'type',
    label: 'Customer relationship',
    choice: ({ customer_relationship }: CompanyRow): Named | undefined => customer_relationship?.[0],
  },
  {
    field_name: 'territory',
    label: 'Top level',
    choice: ({ toplevel_id, toplevel_name }: CompanyRow): Named | undefined =>
      toplevel_id ? { id: toplevel_id, name: toplevel_name } : undefined,
  },
] as const

/** Each field counts its options for itself: the remainder says of which field an id is. */
const optionId = (field: number, id: number): number => id * FIELDS.length + field

export const companyOf = (row: CompanyRow): PsaCompany => ({
  psa_company_id: String(row.id),
  name: row.name ?? '',
  is_active: !row.inactive,
  attributes: Object.fromEntries(
    FIELDS.flatMap(({ field_name, choice }, field) => {
      const chosen = choice(row)
      return chosen ? [[field_name, optionId(field, chosen.id)]] : []
    }),
  ),
})

/** Unverified: whether inactive ones are in the list unless they are asked for. */
export const ACTIVE_OR_NOT = { includeactive: true, includeinactive: true }

const allRows = (api: Api): Promise<CompanyRow[]> => api.all(COMPANY, '/Client', ACTIVE_OR_NOT)

export const companyRow = async (api: Api, psa_company_id: string): Promise<CompanyRow | null> => {
  const id = idOf(psa_company_id)
  return id === null ? null : await api.get(COMPANY, `/Client/${id}`, { includedetails: true })
}

export const contractsOf = (api: Api, client_id: number): Promise<z.infer<typeof CONTRACT>[]> =>
  api.all(CONTRACT, '/ClientContract', { client_id })

const OF_CLIENT = z.object({ id: count, client_id: reference })

/** Companies that have a contact whose address has one of the words as its domain. [SW: search of users] */
async function clientsByContacts(api: Api, words: readonly string[]): Promise<number[]> {
  const search = longestPart(words.filter((word) => word.includes('.')))
  if (search === null) return []
  const { rows } = await api.page(OF_CLIENT, '/Users', { search, ...ACTIVE_OR_NOT })
  return [...new Set(rows.flatMap(({ client_id }) => client_id || []))]
}

/** More companies are read from the list. */
const MAX_SINGLE_READS = 10

type Companies = Pick<
  Psa,
  'companyFields' | 'companies' | 'company' | 'companyNames' | 'companyDetails' | 'searchCompanies'
>

export function companiesOf(api: Api): Companies {
  return {
    async companyFields() {
      const rows = await allRows(api)
      return FIELDS.map(({ field_name, label, choice }, field) => {
        const options = new Map<number, PsaOption>()
        for (const chosen of rows.flatMap((row) => choice(row) ?? []))
          options.set(chosen.id, { id: optionId(field, chosen.id), name: chosen.name ?? '' })
        return { field_name, label, options: [...options.values()].sort((one, other) => one.id - other.id) }
      })
    },
    companies: async () => (await allRows(api)).map(companyOf).sort(byName),
    async company(psa_company_id) {
      const row = await companyRow(api, psa_company_id)
      return row && companyOf(row)
    },
    async companyNames(psa_company_ids) {
      const ids = [...new Set(psa_company_ids)]
      const rows =
        ids.length > MAX_SINGLE_READS
          ? await allRows(api)
          : (await Promise.all(ids.map((id) => companyRow(api, id)))).filter((row) => row !== null)
      const names = new Map(rows.map(({ id, name }) => [String(id), name ?? '']))
      return psa_company_ids.map((id) => names.get(id) ?? null)
    },
    async companyDetails(psa_company_id) {
      const row = await companyRow(api, psa_company_id)
      if (!row) return null
      const contracts = await contractsOf(api, row.id)
      return {
        domains: await domainsOfSites(api, row),
        agreements: contracts.map(({ ref }) => ref ?? '').sort(),
      }
    },
    async searchCompanies({ words, limit }) {
      const wanted = wordsOf(words)
      // Unverified: which fields the vendor searches. A website is not one of them for certain: all are read.
      const rows = await allRows(api)
      const has = (row: CompanyRow, domains: readonly string[]): boolean =>
        hasWords(wanted, [row.name, row.website, ...domains])
      const found = rows.filter((row) => has(row, ownDomains(row)))
      const known = new Set(found.map(({ id }) => id))
      // The domains that details alone have are no filter of any list: companies that can have them are read.
      const others = (await clientsByContacts(api, wanted)).filter((id) => !known.has(id))
      const read = others.slice(0, MAX_SINGLE_READS).map(async (id) => {
        const row = await companyRow(api, String(id))
        return row && has(row, await domainsOfMainSite(api, row)) ? [row] : []
      })
      return [...found, ...(await Promise.all(read)).flat()].map(companyOf).sort(byName).slice(0, limit)
    },
  }
}
