/** The fields of an endpoint that callers give. */
import { invalid } from '../../errors/errors.ts'
import { builder } from '../../schema/builder.ts'
import { EventSeverity, typeProblems } from '../events/index.ts'
import { urlProblems } from './url.ts'

export const url = {
  min_length: 1,
  max_length: 2048,
  description:
    'The address that events are sent to by POST: https, of a public host, without a user and without a fragment.',
} as const

export const description = {
  max_length: 1024,
  nullable: true,
  description: 'The purpose of the endpoint. null or empty: none is given.',
} as const

export const eventTypes = {
  min_items: 1,
  max_items: 100,
  description:
    'The types of events that it gets: `*`, all types of a subject such as `execution.*`, or a type. `*` and a subject have ' +
    'types that are added later too.',
} as const

const WebhookFiltersInput = builder.inputType('WebhookFiltersInput', {
  description:
    'The events that pass: those that meet every list. An event without the thing of a list does not pass. A list that is ' +
    'left out or null lets all pass, also what is new tomorrow.',
  fields: (t) => ({
    agent_ids: t.intList({
      min_items: 1,
      max_items: 200,
      nullable: true,
      description: 'Only events of these agents.',
    }),
    end_company_ids: t.idList({
      min_items: 1,
      max_items: 200,
      nullable: true,
      description: 'Only events of these end companies, and of executions for them.',
    }),
    severities: t.field({
      type: [EventSeverity],
      min_items: 1,
      max_items: 3,
      nullable: true,
      description: 'Only events of these severities.',
    }),
  }),
})

export const filters = {
  type: WebhookFiltersInput,
  nullable: true,
  description:
    'The events of these types that it gets. null: all of them. Given filters replace all filters.',
} as const

/** The columns of filters: an empty list lets all pass. */
export const filterColumns = (given: typeof WebhookFiltersInput.$inferInput | null | undefined) => ({
  agent_ids: [...new Set(given?.agent_ids)],
  end_company_ids: [...new Set(given?.end_company_ids?.map(String))],
  severities: [...new Set<string>(given?.severities)],
})

/** 422 if a type fits none, or if nothing may be sent to the address. */
export function checkInput(
  input: { url?: string | null | undefined; event_types?: readonly string[] | null | undefined },
  allow_private: boolean,
): void {
  const of_types = typeProblems(input.event_types, 'event_types', 'body')
  if (of_types.length > 0) throw invalid(of_types)
  const of_url = input.url ? urlProblems(input.url, allow_private) : []
  if (of_url.length > 0) throw invalid(of_url, 'webhook_url_not_allowed')
}
