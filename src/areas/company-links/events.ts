/** The events of company links. */
import { raisedFrom } from '../../db/live/raise.ts'
import { declareEvents, maybeText, number, text, word } from '../../schema/events/declare.ts'
import { EVERYBODY } from '../../schema/events/sight.ts'
import { idOf, type Link } from './company-link.ts'

const LINK_EVENTS = declareEvents('company_link', {
  data: {
    system: text('The integration.'),
    external_id: text('The entity in the integration.'),
    external_name: maybeText('The name of the entity. null: it has none.'),
    psa_company_id: text('The id of the company in the PSA.'),
    psa_company_name: maybeText('The name of the company.'),
    link_state: word('The state of the link.', ['AUTO', 'MANUAL', 'UNMAPPED']),
    match_method: text('The method by which the company was found.'),
    confidence: number('The confidence, from 0 to 1.'),
  },
  seen: EVERYBODY,
  about: (link) => ({ id: idOf(link) }),
  events: {
    needs_review: { severity: 'WARNING', description: 'A sync made a link that a person should check.' },
    mapped: 'A person mapped an entity to a company, or confirmed its company.',
  },
})

/** The event of a link that a person has mapped; none if the change is another one. */
export function mappedEvents(link: Link, before: Link | null) {
  const { psa_company_id, confirmed_at } = link
  if (psa_company_id === null || confirmed_at?.getTime() === before?.confirmed_at?.getTime()) return []
  return [LINK_EVENTS.mapped({ ...link, psa_company_id })]
}

/** The insert of the events of links that were `written` by a sync and need review now. `locked` has them as they were. */
export const REVIEWS_RAISED = raisedFrom({
  type: "'company_link.needs_review'",
  entity_id: "w.system || '/' || w.external_id",
  data: {
    system: 'w.system',
    external_id: 'w.external_id',
    external_name: 'w.external_name',
    psa_company_id: 'w.psa_company_id',
    psa_company_name: 'w.psa_company_name',
    link_state: 'w.link_state',
    match_method: 'w.match_method',
    confidence: 'w.confidence',
  },
  from: `from written w left join locked l using (external_id)
     where w.needs_review and (l.needs_review is not true or l.psa_company_id is distinct from w.psa_company_id)
     order by w.external_id`,
})
