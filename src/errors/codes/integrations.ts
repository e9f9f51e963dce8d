import { z } from 'zod'
import { text, texts, UNKNOWN_ID } from '../details.ts'
import { type ErrorTable, noSuch } from '../entry.ts'

export const INTEGRATIONS = {
  unknown_integration: {
    status: 404,
    message: 'There is no integration of this name.',
    fix: 'Use a name from GET /public-api/integrations.',
    details: UNKNOWN_ID.extend({ suggestions: texts('Names that may have been meant.', ['hudu']) }),
  },
  integration_request_not_found: noSuch('integration request'),
  integration_exists: {
    status: 409,
    message: 'The service has this integration already.',
    fix: 'See details.name in the integrations listing.',
    details: z.object({ name: text('The `name` of the integration.', 'hudu') }),
  },
} as const satisfies ErrorTable
