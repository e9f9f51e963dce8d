import type { FastifyInstance } from 'fastify'
import { SYSTEMS } from '../data/tenants.ts'
import { decode, paged, pageQuery } from './cursor.ts'
import { type Prepared, rows } from './database.ts'
import { route } from './route.ts'

const VISIBLE = 'tenant_id = $1 and environment = $2 and system = $3 and not hidden'

const STATUS = {
  all: '',
  mapped: 'and mapped',
  unmapped: 'and not mapped',
  manual: `and link_state = 'MANUAL'`,
}
type Status = keyof typeof STATUS

const made = new Map<string, Prepared>()

/** One statement for each combination of filters, written once. */
function statement(name: string, write: () => string): Prepared {
  const prepared = made.get(name) ?? { name, text: write() }
  made.set(name, prepared)
  return prepared
}

const page = (status: Status, after: boolean, search: boolean): Prepared =>
  statement(`links ${status} ${after} ${search}`, () => {
    const conditions = [
      STATUS[status],
      after ? 'and (mapped, sort_name, external_id) > ($5, $6, $7)' : '',
      search ? `and external_name ilike $${after ? 8 : 5}` : '',
    ]
    return `select system, external_id, external_name, psa_company_id, psa_company_name, link_state, match_method,
              confidence, is_primary, mapped_by, mapped_at, revision, mapped, sort_name
            from company_link where ${VISIBLE} ${conditions.join(' ')}
            order by mapped, sort_name, external_id limit $4`
  })

const counts = (search: boolean): Prepared =>
  statement(
    `links counted ${search}`,
    () => `select count(*)::int as total, (count(*) filter (where mapped))::int as mapped
           from company_link where ${VISIBLE} ${search ? 'and external_name ilike $4' : ''}`,
  )

interface Link {
  link_state: string
  confidence: number
  mapped: boolean
  sort_name: string
  external_id: string
}

interface Query {
  system: string
  status: Status
  search?: string
  page_size: number
  cursor?: string
}

const querystring = {
  type: 'object',
  required: ['system'],
  additionalProperties: false,
  properties: {
    system: { enum: SYSTEMS },
    status: { enum: Object.keys(STATUS), default: 'all' },
    search: { type: 'string', minLength: 1, maxLength: 200 },
    ...pageQuery,
  },
}

const answered = ({ mapped: _mapped, sort_name: _name, ...link }: Link) => ({
  ...link,
  needs_review: link.link_state === 'AUTO' && link.confidence < 0.95,
})

export function companyLinks(app: FastifyInstance): void {
  app.get<{ Querystring: Query }>(
    '/public-api/company-links',
    { schema: { querystring } },
    route('end_companies:read', async (call, { query }) => {
      const { system, status, search, page_size, cursor } = query as Query
      const { caller } = call
      const list = `company_links ${system} ${status} ${search ?? ''}`
      const where = [caller.tenant_id, caller.environment, system]
      const searched = search === undefined ? [] : [`%${search.replaceAll(/[\\%_]/g, '\\$&')}%`]
      const after = cursor ? decode(list, caller, cursor) : []
      const [read, [counted]] = await Promise.all([
        rows<Link>(call, page(status, after.length > 0, searched.length > 0), [
          ...where,
          page_size + 1,
          ...after,
          ...searched,
        ]),
        rows<{ total: number; mapped: number }>(call, counts(searched.length > 0), [...where, ...searched]),
      ])
      const { items, pagination } = paged(list, caller, read, page_size, (row) => [
        row.mapped,
        row.sort_name,
        row.external_id,
      ])
      const { total = 0, mapped = 0 } = counted ?? {}
      return {
        data: { links: items.map(answered), counts: { total, mapped, unmapped: total - mapped } },
        pagination,
      }
    }),
  )
}
