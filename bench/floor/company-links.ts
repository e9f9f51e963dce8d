import type { FastifyInstance } from 'fastify'
import { SYSTEMS } from '../data/tenants.ts'
import { decode, paged, pageQuery } from './cursor.ts'
import { rows } from './database.ts'
import { route } from './route.ts'

const VISIBLE = 'tenant_id = $1 and environment = $2 and system = $3 and not hidden'

const STATUS = {
  all: '',
  mapped: 'and mapped',
  unmapped: 'and not mapped',
  manual: `and link_state = 'MANUAL'`,
}
type Status = keyof typeof STATUS

/** The statement for the first page, or for the one after the key in `$5` to `$7`. */
const page = (status: Status, after: boolean) => ({
  name: `links ${status} ${after}`,
  text: `select system, external_id, external_name, psa_company_id, psa_company_name, link_state, match_method,
           confidence, is_primary, mapped_by, mapped_at, revision, mapped, sort_name
         from company_link
         where ${VISIBLE} ${STATUS[status]} ${after ? 'and (mapped, sort_name, external_id) > ($5, $6, $7)' : ''}
         order by mapped, sort_name, external_id limit $4`,
})

const COUNTS = {
  name: 'links counted',
  text: `select count(*)::int as total, (count(*) filter (where mapped))::int as mapped
         from company_link where ${VISIBLE}`,
}

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
      const { system, status, page_size, cursor } = query as Query
      const { caller } = call
      const list = `company_links ${system} ${status}`
      const where = [caller.tenant_id, caller.environment, system]
      const after = cursor ? decode(list, caller, cursor) : []
      const [read, [counted]] = await Promise.all([
        rows<Link>(call, page(status, after.length > 0), [...where, page_size + 1, ...after]),
        rows<{ total: number; mapped: number }>(call, COUNTS, where),
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
