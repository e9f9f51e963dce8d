/**
 * The rules of company filters. A company fits if each filter has the option that the company has in its field. A
 * replacement of the filters is widening-only: companies that fit are added, companies that no longer fit stay in scope
 * and are removable, until they are removed by an operation of its own.
 */
import { bodyProblem, type FieldError } from '../../errors/errors.ts'

export interface Option {
  id: number
  name: string
}

/** Options of one field. A company fits with any of them. */
export interface Filter {
  field_name: string
  selected_options: readonly Option[]
}

/** A field of the PSA's companies, with all of its options. */
export interface Field {
  field_name: string
  options: readonly Option[]
}

interface Attributes {
  psa_company_id: string
  /** The id of the chosen option, by `field_name`. */
  attributes: Readonly<Record<string, number>>
}

interface GivenFilter {
  field_name: string
  selected_options: readonly { id: number }[]
}

// Contract silent: filters of several fields narrow each other, and without any filter every company fits.
/** True if each filter has the option of the company. */
export const fits = (filters: readonly Filter[], attributes: Attributes['attributes']): boolean =>
  filters.every(({ field_name, selected_options }) =>
    selected_options.some(({ id }) => Object.hasOwn(attributes, field_name) && attributes[field_name] === id),
  )

/** The companies that the filters add to the scope. */
export const addedBy = <Company extends Attributes>(
  filters: readonly Filter[],
  companies: readonly Company[],
  in_scope: ReadonlySet<string>,
): Company[] =>
  companies.filter(
    ({ psa_company_id, attributes }) => !in_scope.has(psa_company_id) && fits(filters, attributes),
  )

/** The companies in scope that do not fit. One that the PSA no longer has fits if there are no filters. */
export function removableFrom<InScope extends { psa_company_id: string }>(
  filters: readonly Filter[],
  companies: readonly Attributes[],
  in_scope: readonly InScope[],
): InScope[] {
  const known = new Map(companies.map(({ psa_company_id, attributes }) => [psa_company_id, attributes]))
  return in_scope.filter(({ psa_company_id }) => !fits(filters, known.get(psa_company_id) ?? {}))
}

/** The name of each option, by field and id: as the PSA has it now, else as it was stored. */
function namesOf(fields: readonly Field[], stored: readonly Filter[]): Map<string, Map<number, string>> {
  const names = new Map<string, Map<number, string>>()
  const all = [
    ...stored.map(({ field_name, selected_options }) => ({ field_name, options: selected_options })),
    ...fields,
  ]
  for (const { field_name, options } of all) {
    const own = names.get(field_name) ?? new Map<number, string>()
    for (const { id, name } of options) own.set(id, name)
    names.set(field_name, own)
  }
  return names
}

// Contract silent: a stored field or option that the PSA no longer has is accepted, so that what was read can be sent.
/** The problems of fields and options that the PSA does not have. */
export function filterProblems(
  given: readonly GivenFilter[],
  fields: readonly Field[],
  stored: readonly Filter[],
): FieldError[] {
  const names = namesOf(fields, stored)
  const where = 'of GET /public-api/company-filters/options'
  return given.flatMap(({ field_name, selected_options }, index) => {
    const options = names.get(field_name)
    if (!options) return [bodyProblem(`filters.${index}.field_name`, 'unknown', `must be a field ${where}`)]
    return selected_options.flatMap(({ id }, place) => {
      const path = `filters.${index}.selected_options.${place}.id`
      return options.has(id) ? [] : [bodyProblem(path, 'unknown', `must be an option of the field ${where}`)]
    })
  })
}

/** The filters with each field and each option once, by name and by id. */
export function mergedFilters(
  given: readonly GivenFilter[],
  fields: readonly Field[],
  stored: readonly Filter[],
): Filter[] {
  const names = namesOf(fields, stored)
  const ids = new Map<string, Set<number>>()
  for (const { field_name, selected_options } of given) {
    const own = ids.get(field_name) ?? new Set<number>()
    for (const { id } of selected_options) own.add(id)
    ids.set(field_name, own)
  }
  return [...ids]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([field_name, own]) => ({
      field_name,
      selected_options: [...own]
        .sort((a, b) => a - b)
        .map((id) => ({ id, name: names.get(field_name)?.get(id) ?? '' })),
    }))
}

const chosen = (filters: readonly Filter[]): string =>
  JSON.stringify(
    filters.map(({ field_name, selected_options }) => [field_name, selected_options.map(({ id }) => id)]),
  )

/** True if both let the same companies through, whatever the options are called now. Both are merged. */
export const areSame = (one: readonly Filter[], other: readonly Filter[]): boolean =>
  chosen(one) === chosen(other)

interface Removal {
  psa_company_ids?: readonly string[] | null | undefined
  expected_count?: number | null | undefined
}

type RemovalProblem = { count: number } | { psa_company_ids: string[] }

// Contract silent: expected_count is that of all removable companies, even if some of them are named.
/** The reason for which a removal no longer concerns what its caller saw; null if it does. */
export function removalProblem(
  { psa_company_ids, expected_count }: Removal,
  removable: ReadonlySet<string>,
): RemovalProblem | null {
  const others = [...new Set(psa_company_ids ?? [])].filter((id) => !removable.has(id))
  if (others.length > 0) return { psa_company_ids: others }
  const is_expected = (expected_count ?? removable.size) === removable.size
  return is_expected ? null : { count: removable.size }
}
