/** The parts of ports that answer as if there were one company. */
import { PortRefusal, type RefusalReason } from '../../connectors/port.ts'
import type { Reach } from './reach.ts'

export interface OfCompany {
  psa_company_id: string | null
}

type Searched = { psa_company_id: string | null }

/** The thing if it is the company's; null otherwise, also if there is none. */
type Own = <Thing extends OfCompany>(thing: Thing | null) => Thing | null

export const ofCompany =
  ({ psa_company_id }: Reach): Own =>
  (thing) =>
    psa_company_id !== null && thing?.psa_company_id === psa_company_id ? thing : null

/** Keeps searches within the company: one for another company finds nothing. */
export const searchesIn =
  ({ psa_company_id }: Reach) =>
  <Search extends Searched, Found>(search: (own: Search) => Promise<readonly Found[]>) =>
  async (asked: Search): Promise<readonly Found[]> => {
    const isOwn = asked.psa_company_id === null || asked.psa_company_id === psa_company_id
    return psa_company_id !== null && isOwn ? await search({ ...asked, psa_company_id }) : []
  }

/** A port that tells the outcomes of its writes, by what they were to do if it needs that. */
interface Telling<Subject> {
  outcomeOf(idempotency_key: string, subject: Subject): Promise<unknown>
}

/** Refuses a write as one of nothing that there is, unless it was made already: the thing may have moved since. */
export async function requireInReach<Subject = undefined>(
  port: Telling<Subject>,
  key: string,
  found: unknown,
  reason: RefusalReason,
  subject?: Subject,
): Promise<void> {
  if (found || (await port.outcomeOf(key, subject as Subject)) === 'MADE') return
  throw new PortRefusal(reason)
}

/** Requires that what the first argument of writes names is in reach. Their last argument is the idempotency key. */
export const writesTo =
  <Named, Subject = undefined>(
    port: Telling<Subject>,
    reason: RefusalReason,
    find: (named: Named) => unknown,
  ) =>
  <First extends Named, Rest extends unknown[], Result>(
    write: (first: First, ...rest: Rest) => Promise<Result>,
    subjectOf?: (first: First, ...rest: Rest) => Subject,
  ) =>
  async (first: First, ...rest: Rest): Promise<Result> => {
    const subject = subjectOf?.(first, ...rest)
    await requireInReach(port, rest.at(-1) as string, await find(first), reason, subject)
    return await write(first, ...rest)
  }
