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
}

/** A link with its mapping. */
interface Linked extends Mapping {
  /** A folder that no person has confirmed. */
  hidden: boolean
}

/** An AUTO link with less confidence is for a person to check. */
export const REVIEW_BELOW = 0.95

/** Precedence on conflict, strongest first. */
export const PRECEDENCE = [
  ...(['MANUAL', 'LEARNED_MANUAL', 'NATIVE_ADAPTER', 'EXACT_NAME'] as const),
  ...(['FUZZY', 'DOMAIN', 'LLM', 'ASSET_OVERLAP'] as const),
] as const

/** A rung of the resolution ladder. */
export type LadderMethod = (typeof PRECEDENCE)[number]

/** A person should check the link: it is AUTO with a confidence below 0.95. */
export const needsReview = ({
  link_state,
  confidence,
}: Pick<Mapping, 'link_state' | 'confidence'>): boolean => link_state === 'AUTO' && confidence < REVIEW_BELOW

/** The person or key that maps, and the instant. */
export interface Confirmer {
  mapped_by: string
  mapped_at: Date
}

/** A person has mapped or confirmed the link, so that doing it again changes nothing. */
export const isConfirmed = ({ link_state, hidden }: Pick<Linked, 'link_state' | 'hidden'>): boolean =>
  link_state === 'MANUAL' && !hidden

/** The columns of a link that a person has confirmed. */
export const confirmation = (by: Confirmer) =>
  ({
    ...by,
    link_state: 'MANUAL',
    match_method: 'MANUAL',
    confidence: 1,
    confirmed_at: by.mapped_at,
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
  return { ...mapped, psa_company_id, psa_company_name: name, ...confirmation(by) }
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
