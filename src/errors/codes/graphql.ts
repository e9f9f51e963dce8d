import { z } from 'zod'
import { LOCATIONS, text } from '../details.ts'
import type { ErrorTable } from '../entry.ts'

export const GRAPHQL = {
  graphql_parse_failed: {
    status: 400,
    message: 'The GraphQL document could not be parsed.',
    fix: 'Correct the document at details.locations.',
    details: LOCATIONS,
  },
  graphql_validation_failed: {
    status: 400,
    message: 'The GraphQL document does not fit the schema.',
    fix: 'Correct the document at details.locations.',
    details: LOCATIONS,
  },
  query_too_complex: {
    status: 400,
    message: 'The GraphQL operation asks for too much at once.',
    fix: 'Ask for fewer rows or levels, or split the operation.',
    details: z
      .object({
        limit: text(
          'The limit that is exceeded; its size and `max_` of it are members of that name.',
          'depth',
        ),
      })
      .catchall(z.union([z.string(), z.number()])),
  },
  // The code and message are those that the clients of Apollo and urql know: they send the whole document then.
  PERSISTED_QUERY_NOT_SUPPORTED: {
    status: 400,
    message: 'PersistedQueryNotSupported',
    fix: 'Send the document in `query`.',
  },
  access_changed: {
    status: 403,
    message: 'The caller may do or see something else than when the subscription began.',
    fix: 'Subscribe again, after the last update.',
  },
  subscriber_too_slow: {
    status: 503,
    message: 'The subscriber took its updates more slowly than they came.',
    fix: 'Subscribe again, after the last update.',
    retryable: true,
  },
} as const satisfies ErrorTable
