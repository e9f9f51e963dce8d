import type { ErrorTable } from './entry.ts'

export const GRAPHQL = {
  graphql_parse_failed: {
    status: 400,
    message: 'The GraphQL document could not be parsed.',
    fix: 'Correct the document at details.locations.',
  },
  graphql_validation_failed: {
    status: 400,
    message: 'The GraphQL document does not fit the schema.',
    fix: 'Correct the document at details.locations.',
  },
  query_too_complex: {
    status: 400,
    message: 'The GraphQL operation asks for too much at once.',
    fix: 'Ask for fewer rows or levels, or split the operation.',
  },
} as const satisfies ErrorTable
