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
  integration_not_syncable: {
    status: 409,
    message: 'The service reads nothing from this integration by itself.',
    fix: 'Give its customers with PUT /public-api/integrations/{name}/customers.',
    details: z.object({ name: text('The `name` of the integration.', 'hudu') }),
  },
  sync_already_running: {
    status: 409,
    message: 'A sync of the integration has not ended yet.',
    fix: 'Wait until the sync of details.sync_id has ended, or cancel it.',
    details: z.object({ sync_id: text('The `id` of the sync.', 'syn_1') }),
  },
  sync_not_cancellable: {
    status: 409,
    message: 'The sync has ended.',
    fix: 'Ask for a new one.',
    details: z.object({ current_status: text('The `status` of the sync.', 'SUCCEEDED') }),
  },
  integration_sync_not_found: noSuch('sync of the integration'),
  integration_request_not_found: noSuch('integration request'),
  integration_not_connectable: {
    status: 409,
    message: 'The service has no adapter that reaches this system.',
    fix: 'Connect one of GET /public-api/schemas/connections.',
    details: z.object({ name: text('The `id` of the integration.', 'unifi') }),
  },
  integration_not_connected: {
    status: 409,
    message: 'The integration is not connected.',
    fix: 'Connect it by PUT /public-api/integrations/{name}/connection.',
    details: z.object({ name: text('The `id` of the integration.', 'connectwise-psa') }),
  },
  integration_exists: {
    status: 409,
    message: 'The service has this integration already.',
    fix: 'See details.name in the integrations listing.',
    details: z.object({ name: text('The `name` of the integration.', 'hudu') }),
  },
} as const satisfies ErrorTable
