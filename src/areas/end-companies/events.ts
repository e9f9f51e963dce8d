/** The events of end companies. */
import { raisedFrom } from '../../db/live/raise.ts'
import { declareEvents, text, texts, truth, word } from '../../schema/events/declare.ts'
import { EVERYBODY } from '../../schema/events/sight.ts'

declareEvents('end_company', {
  data: {
    end_company_id: text('The company.'),
    psa_company_id: text('The id of the company in the PSA.'),
    name: text('The name of the company.'),
    status: word('The status of the company.', ['ACTIVE', 'INACTIVE']),
    in_scope: truth('True if agents work for the company.'),
    changed_fields: texts('The fields that changed: `name`, `status`, `in_scope`. Empty for a new company.'),
  },
  seen: EVERYBODY,
  about: ({ end_company_id }) => ({ id: end_company_id }),
  events: {
    created: 'A company of the PSA is new to the service.',
    updated: 'A company was renamed, became ACTIVE or INACTIVE, or came into scope or out of it.',
  },
})

const FIELDS = ['in_scope', 'name', 'status'] as const

interface Written {
  /** SQL: true for a row that is new. */
  is_new: string
  /** SQL of the columns of a row as they were, of those that may have changed. */
  before: Partial<Record<(typeof FIELDS)[number], string>>
  /** All that follows `select …`, with the companies as `w`. */
  from: string
}

/** The insert of the events of companies that were written: of those that are new, or whose fields changed. */
export const companiesRaised = ({ is_new, before, from }: Written): string => {
  const changes = FIELDS.flatMap((field) =>
    before[field] === undefined
      ? []
      : [`case when w.${field} is distinct from ${before[field]} then '${field}' end`],
  )
  return raisedFrom({
    type: "case when r.is_new then 'end_company.created' else 'end_company.updated' end",
    entity_id: 'w.id',
    data: {
      end_company_id: 'w.id',
      psa_company_id: 'w.psa_company_id',
      name: 'w.name',
      status: 'w.status',
      in_scope: 'w.in_scope',
      changed_fields: 'to_jsonb(r.changed_fields)',
    },
    from: `${from}
     cross join lateral (
       select f.is_new, case when f.is_new then array[]::text[] else array_remove(array[${changes.join(', ')}]::text[], null) end
         as changed_fields from (select ${is_new}) f (is_new)
     ) r
     where r.is_new or r.changed_fields <> '{}' order by w.psa_company_id`,
  })
}
