/** The usage of a key, as callers see it. */
import { builder } from '../../schema/builder.ts'
import type { Day, Usage } from './rules.ts'

const ApiKeyUsageDay = builder.objectRef<Day>('ApiKeyUsageDay').implement({
  description: 'The requests of one day.',
  fields: (t) => ({
    day: t.expose('day', { type: 'LocalDate', description: 'The day in UTC.' }),
    requests: t.exposeInt('requests', { description: 'Requests, those that failed included.' }),
    errors: t.exposeInt('errors', { description: 'Requests that were answered with an error.' }),
    by_operation: t.expose('by_operation', {
      type: 'JSON',
      description:
        'Requests by the name of their operation; only operations that were called are there. `several`: GraphQL ' +
        'documents with more than one; `none`: requests without any.',
    }),
  }),
})

export const ApiKeyUsage = builder.objectRef<Usage>('ApiKeyUsage').implement({
  description: 'The uses of a key, at most a minute late.',
  fields: (t) => ({
    days: t.expose('days', {
      type: [ApiKeyUsageDay],
      max_items: 100,
      description: 'Every UTC day that the window touches, the earliest first.',
    }),
  }),
})
