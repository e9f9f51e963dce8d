import { admins, scope } from '../../access/policies/policies.ts'
import { psaOf } from '../../connectors/psa.ts'
import { ApiError, invalid } from '../../errors/errors.ts'
import { enqueue } from '../../jobs/enqueue.ts'
import { builder, defineArea } from '../../schema/builder.ts'
import { change } from '../../schema/changes/change.ts'
import { unchanged } from '../../schema/changes/mutation.ts'
import { RESOLVE_LINKS } from '../company-links/index.ts'
import { bringIntoScope, companiesInScope, takeOutOfScope } from '../end-companies/index.ts'
import { readPsaType } from '../tenant/index.ts'
import { CompanyFilterOptions, CompanyFilters, CompanyRemoval, filtersEtag } from './company-filters.ts'
import { COMPANY_FILTERS_EVENTS } from './events.ts'
import { COMPANY_FILTERS, companiesInUse, lockFilters, readFilters } from './queries.ts'
import { addedBy, areSame, filterProblems, mergedFilters, removableFrom, removalProblem } from './rules.ts'

const area = defineArea({
  name: 'Company filters',
  slug: 'company-filters',
  description: 'The customers of the MSP that agents work for, by the fields of companies in the PSA.',
  example: `
query CompanyFilters {
  company_filters { filters { field_name selected_options { id name } } removable { count companies { name } } }
}

# query Fields {
#   company_filter_options { fields { field_name label options { id name } } }
# }`,
})

area.query('company_filters', (t) =>
  t.field({
    type: CompanyFilters,
    description: 'Gets the company filters, and the companies in scope that do not fit them.',
    rest: { method: 'GET', path: '/company-filters' },
    access: scope('settings:read'),
    errors: ['upstream_unavailable'],
    etag: filtersEtag,
    resolve: (_root, _args, ctx) => readFilters(ctx),
  }),
)

area.query('company_filter_options', (t) =>
  t.field({
    type: CompanyFilterOptions,
    description: 'Gets the fields by which companies can be filtered, with their values.',
    rest: { method: 'GET', path: '/company-filters/options' },
    access: scope('settings:read'),
    errors: ['upstream_unavailable'],
    resolve: async (_root, _args, ctx) => {
      const [psa_type, fields] = await Promise.all([readPsaType(ctx), psaOf(ctx).companyFields()])
      return { psa_type, fields }
    },
  }),
)

const SelectedOption = builder.inputType('SelectedOption', {
  description: 'A value of a field.',
  fields: (t) => ({
    id: t.int({ required: true, description: 'The id of the option.' }),
    name: t.string({ max_length: 500, description: 'The name of the option, which is not compared.' }),
  }),
})

const CompanyFilterInput = builder.inputType('CompanyFilterInput', {
  description: 'A field, and the values with which a company fits.',
  fields: (t) => ({
    field_name: t.string({
      required: true,
      min_length: 1,
      max_length: 120,
      description: 'The name of a field of `company_filter_options`.',
    }),
    selected_options: t.field({
      type: [SelectedOption],
      required: true,
      min_items: 1,
      max_items: 500,
      description: 'Values of the field. One that is there twice counts once.',
    }),
  }),
})

const CompanyFiltersReplacement = builder.inputType('CompanyFiltersReplacement', {
  description: 'The filters as they shall be.',
  fields: (t) => ({
    filters: t.field({
      type: [CompanyFilterInput],
      required: true,
      max_items: 50,
      description: 'All filters. Those of the same field are one filter. Empty: every company fits.',
    }),
  }),
})

area.mutation('replace_company_filters', (t) =>
  t.field({
    type: CompanyFilters,
    description:
      'Replaces the company filters. Companies that fit are brought into scope at once, and customers of integrations find ' +
      'them by a job that follows; those in scope that no longer fit ' +
      'stay there, and are listed as removable.',
    // Contract: the answer has these two.
    rest: { method: 'PUT', path: '/company-filters', omit: ['filters', 'revision'] },
    access: scope('settings:write'),
    errors: ['version_conflict', 'upstream_unavailable'],
    etag: filtersEtag,
    args: { input: t.arg({ type: CompanyFiltersReplacement, required: true }) },
    resolve: async (_root, { input: { filters: given } }, ctx) => {
      const psa = psaOf(ctx)
      // Other systems are asked before anything is locked.
      const [fields, companies] = await Promise.all([psa.companyFields(), psa.companies()])
      const stored = await lockFilters(ctx, companies)
      const problems = filterProblems(given, fields, stored.filters)
      if (problems.length > 0) throw invalid(problems)
      const filters = mergedFilters(given, fields, stored.filters)
      const counts = { added_count: 0, removable_count: 0 }
      const field_names = filters.map(({ field_name }) => field_name)
      const events = () => [COMPANY_FILTERS_EVENTS.changed({ field_names, ...counts })]
      const replaced = await change(ctx, { ...COMPANY_FILTERS, events }, stored, {
        verb: 'replaced',
        decide: () => (areSame(filters, stored.filters) ? {} : { filters }),
        beforeWrite: async () => {
          const in_scope = await companiesInScope(ctx)
          const known = new Set(in_scope.map(({ psa_company_id }) => psa_company_id))
          const added = addedBy(filters, companies, known)
          counts.added_count = added.length
          counts.removable_count = removableFrom(filters, companies, in_scope).length
          await bringIntoScope(ctx, added)
          if (added.length > 0) await enqueue(ctx, RESOLVE_LINKS, { after: null })
        },
      })
      const removable = removableFrom(replaced.filters, companies, await companiesInScope(ctx))
      return { ...replaced, removable }
    },
  }),
)

const UnmatchedRemoval = builder.inputType('UnmatchedRemoval', {
  description: 'The companies to take out of scope.',
  fields: (t) => ({
    psa_company_ids: t.field({
      type: ['ID'],
      min_items: 1,
      max_items: 500,
      description:
        'Only these of the removable companies, by their ids in the PSA. All of them if it is left out.',
    }),
    expected_count: t.int({
      min: 0,
      description: 'The number of removable companies that the caller has seen. Another one is refused.',
    }),
  }),
})

area.mutation('remove_unmatched_companies', (t) =>
  t.field({
    type: CompanyRemoval,
    description:
      'Takes companies that do not fit the filters out of scope: all of them, or those that are named. None is removed ' +
      'if an agent works on a ticket of one of them.',
    rest: { method: 'POST', path: '/company-filters/remove-unmatched' },
    access: admins('settings:write'),
    errors: ['removable_changed', 'company_in_use', 'upstream_unavailable'],
    args: { input: t.arg({ type: UnmatchedRemoval, required: true }) },
    resolve: async (_root, { input }, ctx) => {
      const [companies, in_use] = [await psaOf(ctx).companies(), await companiesInUse(ctx)]
      const stored = await lockFilters(ctx, companies)
      const { psa_type, removable } = stored
      const problem = removalProblem(input, new Set(removable.map(({ psa_company_id }) => psa_company_id)))
      if (problem) throw new ApiError('removable_changed', { details: { ...problem } })
      const named = input.psa_company_ids && new Set(input.psa_company_ids)
      const isNamed = ({ psa_company_id }: { psa_company_id: string }) => named?.has(psa_company_id) ?? true
      const removed = removable.filter(isNamed)
      const used = removed.flatMap(({ psa_company_id }) =>
        in_use.has(psa_company_id) ? [psa_company_id] : [],
      )
      if (used.length > 0) throw new ApiError('company_in_use', { details: { psa_company_ids: used } })
      if (removed.length === 0) unchanged(ctx, null)
      else await takeOutOfScope(ctx, removed)
      const left = removable.filter((company) => !isNamed(company))
      return { psa_type, removed, removable: left, filters: { ...stored, removable: left } }
    },
  }),
)
