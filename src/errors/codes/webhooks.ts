import { z } from 'zod'
import { INVALID_FIELDS, text, whole } from '../details.ts'
import { type ErrorTable, noSuch } from '../entry.ts'

export const WEBHOOKS = {
  webhook_endpoint_not_found: noSuch('webhook endpoint'),
  webhook_delivery_not_found: noSuch('webhook delivery'),
  webhook_endpoint_limit_reached: {
    status: 409,
    message: 'The environment has as many webhook endpoints as it may have.',
    fix: 'Delete an endpoint that is not used.',
    details: z.object({ limit: whole('The most endpoints.', 20) }),
  },
  webhook_endpoint_disabled: {
    status: 409,
    message: 'The webhook endpoint is off.',
    fix: 'Set its status to ENABLED first.',
    details: z.object({ status: text('The `status` of the endpoint.', 'AUTO_DISABLED') }),
  },
  webhook_url_not_allowed: {
    status: 422,
    message: 'Events are not sent to this address.',
    fix: 'Name an https address of a public host, without a user and without a fragment.',
    details: INVALID_FIELDS,
  },
} as const satisfies ErrorTable
