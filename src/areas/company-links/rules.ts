/** The rules of company links. */

/** The columns of a link that a mapping changes. */
export interface Mapping {
  psa_company_id: string | null
  psa_company_name: string | null
  link_state: 'AUTO' | 'MANUAL' | 'UNMAPPED'
  match_method: string
  confidence: number
  is_primary: boolean
  mapped_by: string | null
  mapped_at: Date | null
  /** The instant at which a person last mapped or confirmed the link. */
  confirmed_at: Date | null
  /** The names of both when the link was mapped: by a person, or as it was last judged. */
  mapped_external_name: string | null
  mapped_company_name: string | null
  /** The PSA no longer has the company. */
  company_missing: boolean
}

/** A link with its mapping. */
interface Linked extends Mapping {
  external_name: string | null
  /** A folder that no person has confirmed. */
  hidden: boolean
}

/** An AUTO link with less confidence is for a person to check. */
export const REVIEW_BELOW = 0.95

/** Precedence on conflict, strongest first. */
export const PRECEDENCE = [
  'MANUAL',
  'LEARNED_MANUAL',
  'NATIVE_ADAPTER',
  'EXACT_NAME',
  'FUZZY',
  'DOMAIN',
  'LLM',
  'ASSET_OVERLAP',
] as const

/** A rung of the resolution ladder. */
export type LadderMethod = (typeof PRECEDENCE)[number]

/** The columns that tell whether a person should check the link. */
export const REVIEWED = [
  'psa_company_id',
  'link_state',
  'confidence',
  'external_name',
  'psa_company_name',
  'mapped_external_name',
  'mapped_company_name',
  'company_missing',
] as const satisfies readonly (keyof Linked)[]

const isRenamed = (mapped: string | null, name: string | null): boolean => mapped !== null && mapped !== name

/**
 * A person should check the link: an AUTO link with a confidence below 0.95, a MANUAL link whose names have both changed
 * since it was mapped, and any link whose company the PSA no longer has.
 */
export function needsReview(link: Pick<Linked, (typeof REVIEWED)[number]>): boolean {
  if (link.psa_company_id === null) return false
  if (link.company_missing) return true
  if (link.link_state === 'AUTO') return link.confidence < REVIEW_BELOW
  return (
    link.link_state === 'MANUAL' &&
    isRenamed(link.mapped_external_name, link.external_name) &&
    isRenamed(link.mapped_company_name, link.psa_company_name)
  )
}

/** The person or key that maps, and the instant. */
export interface Confirmer {
  mapped_by: string
  mapped_at: Date
}

/** A person has mapped or confirmed the link as it is, so that doing it again changes nothing. */
export const isConfirmed = (link: Linked): boolean =>
  link.link_state === 'MANUAL' && !link.hidden && !needsReview(link)

/** The columns of a link that a person has confirmed, under the names that it has now. */
export const confirmation = (
  { external_name }: Pick<Linked, 'external_name'>,
  company: string | null,
  by: Confirmer,
) =>
  ({
    ...by,
    link_state: 'MANUAL',
    match_method: 'MANUAL',
    confidence: 1,
    confirmed_at: by.mapped_at,
    mapped_external_name: external_name,
    mapped_company_name: company,
  }) as const

interface Company {
  psa_company_id: string
  name: string
}

/** The mapping once a person has mapped the link to the company. Who mapped it there before, and when, stays. */
export function withCompany(
  link: Linked,
  { psa_company_id, name }: Company,
  is_primary: boolean | undefined,
  by: Confirmer,
) {
  const stays = link.psa_company_id === psa_company_id
  // Contract silent: a link stays the primary one of its company, but does not become that of another.
  const mapped = { is_primary: is_primary ?? (stays && link.is_primary) }
  if (stays && isConfirmed(link)) return mapped
  const company = { psa_company_id, psa_company_name: name, company_missing: false }
  return { ...mapped, ...company, ...confirmation(link, name, by) }
}

/** The mapping of a link without a company. The next sync may map it again. */
// Contract silent: clearing confirms no folder, and hides none that was confirmed.
export const WITHOUT_COMPANY = {
  psa_company_id: null,
  psa_company_name: null,
  link_state: 'UNMAPPED',
  match_method: 'UNMATCHED',
  confidence: 0,
  is_primary: false,
  mapped_by: null,
  mapped_at: null,
  mapped_external_name: null,
  mapped_company_name: null,
  company_missing: false,
} as const satisfies Partial<Mapping>

interface ConfirmationProblem {
  code: 'company_link_not_found' | 'company_link_unmapped'
  ids: string[]
}

/** The ids that keep all from being confirmed: those that are unknown, else those without a company. */
export function confirmationProblem(
  external_ids: readonly string[],
  links: ReadonlyMap<string, Pick<Mapping, 'psa_company_id'>>,
): ConfirmationProblem | null {
  const unknown = external_ids.filter((id) => !links.has(id))
  if (unknown.length > 0) return { code: 'company_link_not_found', ids: unknown }
  const unmapped = external_ids.filter((id) => links.get(id)?.psa_company_id === null)
  return unmapped.length > 0 ? { code: 'company_link_unmapped', ids: unmapped } : null
}
