/** The directories of HaloPSA, by id. Sources as in `api.ts`. */
import type { z } from 'zod'
import { PortUnavailable } from '../port.ts'
import type { DirectorySearch, Psa } from '../psa.ts'
import { type Api, LIST_START, type ListPlace, readAt, timeText } from './api.ts'
import { ACTIVE_OR_NOT, COMPANY, type CompanyRow, companyOf, companyRow } from './companies.ts'
import { domainsOfMainSite, itemsOfDay, ownDomains } from './domains.ts'
import { AGENT, CONTACT, contactOf, technicianOf, UNASSIGNED } from './people.ts'

type Directory = Pick<Psa, 'companyPage' | 'contactPage' | 'technicianPage'>

const MAX_ROWS = 1000

/**
 * Companies of a page whose details are read: two requests each, while a hosted system takes 300 in five minutes [HA] for all
 * that is done there. A sync reads a company that changed at once, and each company without a domain within some days.
 */
const MAX_DETAILS = 10

const DAY_MS = 86_400_000

/** A place without the first row of the page before it: a sync itself finds that pages repeat, and is not whole then. */
function placeOf(after: string | null): ListPlace {
  const [page_no, read_rows] = after?.split(' ').map(Number) ?? []
  return { page_no: page_no ?? LIST_START.page_no, read_rows: read_rows ?? LIST_START.read_rows }
}

export function directoryOf(api: Api, now: Date): Directory {
  /** Pages are counted: there is no other place to go on after. A row that is deleted meanwhile can hide another one. [SW] */
  async function page<Row extends { id: number }>(
    form: z.ZodType<Row>,
    path: '/Client' | '/Users',
    { after, changed_since }: DirectorySearch,
  ) {
    const place = placeOf(after)
    const found = await api.page(
      form,
      path,
      {
        ...ACTIVE_OR_NOT,
        order: 'id',
        orderdesc: false,
        // Unverified for these lists; a parameter that is not known is ignored, and all rows come. [PD]
        ...(changed_since && { lastupdatefromdate: timeText(changed_since) }),
      },
      place.page_no,
    )
    const { rows, next } = readAt(place, found)
    return {
      rows,
      next: next && `${next.page_no} ${next.read_rows}`,
      // Unverified: whether the count is of the rows that changed, or of all.
      total: changed_since === null ? found.total : null,
    }
  }

  /** null: the system did not tell them now. The page is worth more than the details of some of its companies. */
  async function detailedDomains({ id }: CompanyRow): Promise<readonly string[] | null> {
    try {
      const row = await companyRow(api, String(id))
      return row && (await domainsOfMainSite(api, row))
    } catch (error) {
      if (error instanceof PortUnavailable) return null
      throw error
    }
  }

  return {
    async companyPage(search) {
      const { rows, ...rest } = await page(COMPANY, '/Client', search)
      const without = rows.filter((row) => ownDomains(row).length === 0)
      const detailed = itemsOfDay(without, MAX_DETAILS, Math.floor(now.getTime() / DAY_MS))
      const domains = new Map(
        await Promise.all(detailed.map(async (row) => [row.id, await detailedDomains(row)] as const)),
      )
      const domainsOf = (row: CompanyRow) => {
        const own = ownDomains(row)
        return own.length > 0 ? own : (domains.get(row.id) ?? null)
      }
      return { ...rest, rows: rows.map((row) => ({ ...companyOf(row), domains: domainsOf(row) })) }
    },
    async contactPage(search) {
      const { rows, ...rest } = await page(CONTACT, '/Users', search)
      return { ...rest, rows: rows.map(contactOf) }
    },
    async technicianPage({ after }) {
      // One list has all of them. [SW]
      const agents = await api.list(AGENT, '/Agent', { includeenabled: true, includedisabled: true })
      const rows = agents
        .filter(({ id }) => id > Number(after ?? UNASSIGNED))
        .sort((one, other) => one.id - other.id)
        .slice(0, MAX_ROWS)
      const next = rows.length === MAX_ROWS ? String(rows.at(-1)?.id) : null
      return { rows: rows.map(technicianOf), next }
    },
  }
}
