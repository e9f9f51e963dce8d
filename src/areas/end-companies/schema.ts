import { scope } from '../../access/policies.ts'
import { scoped, sql } from '../../db/db.ts'
import { type Condition, firstOf, oneOf, shaped } from '../../db/shaped.ts'
import { found } from '../../errors.ts'
import { containsPattern } from '../../lib/like-pattern.ts'
import { SEARCH } from '../../schema/bounds.ts'
import { defineArea } from '../../schema/builder.ts'
import { page, pageArgs, pageType } from '../../schema/page.ts'
import { Id } from '../../schema/scalars.ts'
import { COLUMNS, EndCompany, type EndCompanyRow, EndCompanyStatus } from './end-company.ts'

const area = defineArea({
  name: 'End companies',
  slug: 'end-companies',
  description: 'The customers of the MSP, as the PSA knows them.',
  example: `
query EndCompanies {
  end_companies(in_scope: true, page_size: 20) {
    items { id psa_company_id name status domains link_count end_user_count }
    pagination { next_cursor has_more }
  }
}`,
})

interface Listed extends EndCompanyRow {
  sort_name: string
}

const BY_NAME = 'sort_name, id'

const LIST = shaped<Listed>('end_companies.list', (and) => {
  const rows = `select c.* from end_company c where c.tenant_id = $1 and c.environment = $2${and}`
  return `select ${COLUMNS}, c.sort_name from (${firstOf(rows, BY_NAME, '$3')}) c order by ${BY_NAME}`
})

interface Filters {
  psa_company_id?: string | null | undefined
  status?: readonly EndCompanyRow['status'][] | null | undefined
  in_scope?: boolean | null | undefined
  workplace_mapped?: boolean | null | undefined
  search?: string | null | undefined
}

const filtersOf = (filters: Filters): (Condition | null)[] => {
  const { psa_company_id, status, in_scope, workplace_mapped, search } = filters
  return [
    psa_company_id == null
      ? null
      : { name: 'psa', text: 'c.psa_company_id = ?::text', values: [psa_company_id] },
    oneOf('status', 'c.status', status, 'end_company_status'),
    in_scope == null ? null : { name: 'scope', text: 'c.in_scope = ?::boolean', values: [in_scope] },
    workplace_mapped === true ? { name: 'mapped', text: 'c.workplace_tenant_id is not null' } : null,
    workplace_mapped === false ? { name: 'unmapped', text: 'c.workplace_tenant_id is null' } : null,
    search == null
      ? null
      : { name: 'search', text: 'c.sort_name like lower(?::text)', values: [containsPattern(search)] },
  ]
}

const after = (key: readonly unknown[] | null): Condition | null =>
  key && { name: 'after', text: '(c.sort_name, c.id) > (?::text, ?::text)', values: key }

area.query('end_companies', (t) =>
  t.field({
    type: pageType('EndCompany', EndCompany),
    description: 'Lists the tenant’s end companies, by name in any letter case, then by id.',
    rest: { method: 'GET', path: '/end-companies' },
    access: scope('end_companies:read'),
    args: {
      psa_company_id: t.arg({ type: Id, description: 'Only the company with this id in the PSA.' }),
      status: t.arg({
        type: [EndCompanyStatus],
        min_items: 1,
        description: 'Only companies with one of these statuses: separated by commas, or repeated.',
      }),
      in_scope: t.arg.boolean({
        description: 'Only companies inside (true) or outside (false) the company filters.',
      }),
      workplace_mapped: t.arg.boolean({
        description: 'Only companies with (true) or without (false) a workplace-suite tenant.',
      }),
      search: t.arg.string({
        ...SEARCH,
        description: 'Only companies whose name contains this, in any letter case.',
      }),
      ...pageArgs,
    },
    resolve: (_root, args, ctx) =>
      page(
        ctx,
        'end_companies',
        args,
        (key, limit) => LIST(ctx, [limit], [...filtersOf(args), after(key)]),
        ({ sort_name, id }) => [sort_name, id],
      ),
  }),
)

const READ = scoped(
  'end_companies.read',
  `select ${COLUMNS} from end_company c
   where c.tenant_id = $1 and c.environment = $2 and c.id = $3::text`,
)

area.query('end_company', (t) =>
  t.field({
    type: EndCompany,
    description: 'Gets an end company.',
    rest: { method: 'GET', path: '/end-companies/{end_company_id}' },
    access: scope('end_companies:read'),
    errors: ['end_company_not_found'],
    args: {
      end_company_id: t.arg({ type: Id, required: true, description: 'The `id` of the company.' }),
    },
    resolve: async (_root, { end_company_id }, ctx) => {
      const [row] = await sql<EndCompanyRow>(ctx, READ, [end_company_id])
      return found(row, 'end_company_not_found', end_company_id)
    },
  }),
)
