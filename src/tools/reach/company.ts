/** The parts of ports that answer as if there were one company. */
import { type Outcomes, PortRefusal, type RefusalReason } from '../../connectors/port.ts'
import type { Reach } from './reach.ts'

interface OfCompany {
  psa_company_id: string | null
}

type Searched = { psa_company_id: string | null }

/** The thing if it is the company's; null otherwise, also if there is none. */
type Own = <Thing extends OfCompany>(thing: Thing | null) => Thing | null

export const ofCompany =
  ({ psa_company_id }: Reach): Own =>
  (thing) =>
    psa_company_id !== null && thing?.psa_company_id === psa_company_id ? thing : null

/** The search within the company; null if it is for another one. */
export function searchInReach<Search extends Searched>(
  { psa_company_id }: Reach,
  search: Search,
): Search | null {
  if (psa_company_id === null) return null
  const asked = search.psa_company_id
  return asked === null || asked === psa_company_id ? { ...search, psa_company_id } : null
}

/** Refuses a write as one of nothing that there is, unless it was made already: the thing may have moved since. */
export async function requireInReach(
  port: Outcomes,
  key: string,
  found: unknown,
  reason: RefusalReason,
): Promise<void> {
  if (found || (await port.outcomeOf(key)) === 'MADE') return
  throw new PortRefusal(reason)
}
