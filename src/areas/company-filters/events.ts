/** The events of company filters. */
import { declareEvents, texts, whole } from '../../schema/events/declare.ts'
import { EVERYBODY } from '../../schema/events/sight.ts'

export const COMPANY_FILTERS_EVENTS = declareEvents('company_filters', {
  data: {
    field_names: texts('The fields by which companies are filtered from now on.'),
    added_count: whole('The companies that came into scope.'),
    removable_count: whole('The companies in scope that do not fit the filters.'),
  },
  seen: EVERYBODY,
  about: () => ({ id: 'company_filters' }),
  events: { changed: 'The company filters were replaced.' },
})
