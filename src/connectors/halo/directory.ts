/** The directories of HaloPSA, by id. Sources as in `api.ts`. */
import type { z } from 'zod'
import type { DirectorySearch, Psa } from '../psa.ts'
import { domainsOf } from '../words.ts'
import { type Api, isLast, PAGE, timeText } from './api.ts'
import { ACTIVE_OR_NOT, COMPANY, companyOf } from './companies.ts'
import { AGENT, CONTACT, contactOf, technicianOf, UNASSIGNED } from './people.ts'

type Directory = Pick<Psa, 'companyPage' | 'contactPage' | 'technicianPage'>

const MAX_ROWS = 1000

export function directoryOf(api: Api): Directory {
  /** Pages are counted: there is no other place to go on after. A row that is deleted meanwhile can hide another one. [SW] */
  async function page<Row, Made>(
    form: z.ZodType<Row>,
    path: '/Client' | '/Users',
    { after, changed_since }: DirectorySearch,
    make: (row: Row) => Made,
  ) {
    const page_no = after === null ? 1 : Number(after)
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
      page_no,
    )
    const next = isLast(found, page_no * PAGE) ? null : String(page_no + 1)
    return { rows: found.rows.map(make), next }
  }
  return {
    companyPage: (search) =>
      page(COMPANY, '/Client', search, (row) => ({ ...companyOf(row), domains: domainsOf(row.website) })),
    contactPage: (search) => page(CONTACT, '/Users', search, contactOf),
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
