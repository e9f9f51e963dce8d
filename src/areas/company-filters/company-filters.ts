/** The company filters as they are answered. */
import { scope } from '../../access/policies/policies.ts'
import { etagOf, REVISION } from '../../gateway/entity-tags.ts'
import { builder } from '../../schema/builder.ts'
import type { Revisioned } from '../../schema/changes/row-update.ts'
import { entityId } from '../../schema/scalars/entity-id.ts'
import { EndCompany, endCompanyOf, type ScopedCompany } from '../end-companies/index.ts'
import type { Field, Filter, Option } from './rules.ts'

/** The stored filters, and the kind of PSA that they are for. */
export interface FiltersRow extends Revisioned {
  filters: Filter[]
  psa_type: string | null
}

/** The filters with the companies in scope that do not fit. */
export interface Filters extends FiltersRow {
  removable: readonly ScopedCompany[]
}

// The companies follow the PSA without a new revision.
export const filtersEtag = ({ revision, psa_type, removable }: Filters): string =>
  etagOf(revision, [psa_type, removable.map(({ psa_company_id, name }) => [psa_company_id, name])])

const FilteredCompany = builder.objectRef<ScopedCompany>('FilteredCompany').implement({
  description: 'A company, as the PSA knows it.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The company’s name in the PSA.' }),
    psa_company_id: t.exposeID('psa_company_id', { description: 'The company’s id in the PSA.' }),
  }),
})

const FilteredCompanies = builder.objectRef<readonly ScopedCompany[]>('FilteredCompanies').implement({
  description: 'Companies, and how many they are.',
  fields: (t) => ({
    companies: t.field({
      type: [FilteredCompany],
      max_items: 20000,
      description: 'All of them, by name.',
      resolve: (companies) => [...companies],
    }),
    count: t.field({
      type: 'NonNegativeInt',
      description: 'The number of them.',
      resolve: (companies) => companies.length,
    }),
  }),
})

const CompanyFilterOption = builder.objectRef<Option>('CompanyFilterOption').implement({
  description: 'A value of a field, as the PSA has it.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'The id of the option, unique among those of all fields.' }),
    name: t.exposeString('name', { description: 'The name of the option.' }),
  }),
})

const CompanyFilter = builder.objectRef<Filter>('CompanyFilter').implement({
  description: 'A field, and the values with which a company fits.',
  fields: (t) => ({
    field_name: t.exposeString('field_name', { description: 'The name of the field.' }),
    selected_options: t.field({
      type: [CompanyFilterOption],
      max_items: 500,
      description: 'The values of which a company has one, by id.',
      resolve: ({ selected_options }) => [...selected_options],
    }),
  }),
})

const PSA_TYPE = 'The kind of PSA system the tenant works in. null: none was chosen yet.'

export const CompanyFilters = builder.objectRef<Filters>('CompanyFilters').implement({
  description: 'The company filters, and the companies in scope that do not fit them.',
  fields: (t) => ({
    id: t.id(entityId(() => 'company_filters')),
    psa_type: t.exposeString('psa_type', { nullable: true, description: PSA_TYPE }),
    filters: t.expose('filters', {
      type: [CompanyFilter],
      max_items: 50,
      description:
        'The filters, by field. A company fits if it fits each of them; without filters every company does.',
    }),
    removable: t.expose('removable', {
      type: FilteredCompanies,
      description:
        'Companies in scope that do not fit. They stay in scope until `remove_unmatched_companies`.',
    }),
    revision: t.exposeInt('revision', { description: REVISION }),
  }),
})

interface LabelledField extends Field {
  label: string
}

const CompanyFilterField = builder.objectRef<LabelledField>('CompanyFilterField').implement({
  description: 'A field by which companies can be filtered.',
  fields: (t) => ({
    field_name: t.exposeString('field_name', { description: 'The name of the field.' }),
    label: t.exposeString('label', { description: 'The name of the field, as people read it.' }),
    options: t.field({
      type: [CompanyFilterOption],
      max_items: 2000,
      description: 'All values of the field, by id.',
      resolve: ({ options }) => [...options],
    }),
  }),
})

export const CompanyFilterOptions = builder
  .objectRef<{ psa_type: string | null; fields: readonly LabelledField[] }>('CompanyFilterOptions')
  .implement({
    description: 'The fields by which companies can be filtered, as the PSA has them.',
    fields: (t) => ({
      psa_type: t.exposeString('psa_type', { nullable: true, description: PSA_TYPE }),
      fields: t.field({
        type: [CompanyFilterField],
        max_items: 25,
        description: 'The fields, in the PSA’s order.',
        resolve: ({ fields }) => [...fields],
      }),
    }),
  })

interface Removed {
  filters: Filters
  psa_type: string | null
  removed: readonly ScopedCompany[]
  removable: readonly ScopedCompany[]
}

// Contract silent: as many as one call can name.
const END_COMPANIES_AT_MOST = 500

export const CompanyRemoval = builder.objectRef<Removed>('CompanyRemoval').implement({
  description: 'The companies that a removal took out of scope.',
  fields: (t) => ({
    psa_type: t.exposeString('psa_type', { nullable: true, description: PSA_TYPE }),
    removed: t.expose('removed', {
      type: FilteredCompanies,
      description: 'Companies that are out of scope now.',
    }),
    removable: t.expose('removable', {
      type: FilteredCompanies,
      description: 'Companies in scope that still do not fit.',
    }),
    filters: t.expose('filters', {
      type: CompanyFilters,
      graph_only: true,
      description: 'The company filters, with those that can be removed now.',
    }),
    end_companies: t.field({
      type: [EndCompany],
      max_items: END_COMPANIES_AT_MOST,
      graph_only: true,
      access: scope('end_companies:read'),
      description: 'The companies that are out of scope now, by name, and of more than 500 the first.',
      resolve: async ({ removed }, _args, ctx) => {
        const companies = removed
          .slice(0, END_COMPANIES_AT_MOST)
          .map(({ psa_company_id }) => endCompanyOf(ctx, psa_company_id))
        return (await Promise.all(companies)).filter((company) => company !== null)
      },
    }),
  }),
})
