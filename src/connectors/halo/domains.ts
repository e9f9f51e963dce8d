/** Domains of companies of HaloPSA: the company's own, and those of its sites. Sources as in `api.ts`. */
import { z } from 'zod'
import { count, text } from '../http/forms.ts'
import { idOf } from '../ids.ts'
import { domainsOf } from '../words.ts'
import type { Api } from './api.ts'

/** A company’s row, of a list or with its details. */
interface CompanyRow {
  id: number
  website?: string | undefined
  domain?: string | undefined
  main_site_id?: number | undefined
}

/** Lists of sites have no `emaildomain`. [SW: Site, Site_List] */
const SITE = z.object({ id: count, emaildomain: text })

/** Sites whose details are read for one company. */
const MAX_SITES = 10

/** Domains of texts, each of which can have several of them, as web addresses or after `@`. */
export const domainsIn = (texts: readonly (string | undefined)[]): string[] => {
  const parts = texts.flatMap((one) => (one ?? '').toLowerCase().split(/[\s,;]+/))
  const domains = parts.flatMap((part) => domainsOf(part.replace(/^.*@/, '')))
  return [...new Set(domains.filter((domain) => domain.includes('.')))]
}

/** Domains that the row itself has. Lists have no `domain`. [SW: Area; PV: Area_List] */
export const ownDomains = ({ website, domain }: CompanyRow): string[] => domainsIn([website, domain])

async function domainsWith(api: Api, row: CompanyRow, site_ids: readonly number[]): Promise<string[]> {
  const sites = await Promise.all(
    site_ids.map((id) => api.get(SITE, `/Site/${id}`, { includedetails: true })),
  )
  return domainsIn([row.website, row.domain, ...sites.map((site) => site?.emaildomain)])
}

/** Domains of the company whose details are given, with those of its main site. */
export const domainsOfMainSite = (api: Api, row: CompanyRow): Promise<string[]> =>
  domainsWith(
    api,
    row,
    [idOf(String(row.main_site_id))].filter((id) => id !== null),
  )

/** Domains of the company whose details are given, with those of its sites. */
export async function domainsOfSites(api: Api, row: CompanyRow): Promise<string[]> {
  const { rows } = await api.page(SITE, '/Site', { client_id: row.id })
  return await domainsWith(
    api,
    row,
    rows.slice(0, MAX_SITES).map(({ id }) => id),
  )
}

/** So many of the items, others each day, until every item has been among them. */
export function itemsOfDay<Item>(items: readonly Item[], count: number, day: number): Item[] {
  const start = items.length > count ? (day * count) % items.length : 0
  return [...items.slice(start), ...items.slice(0, start)].slice(0, count)
}
