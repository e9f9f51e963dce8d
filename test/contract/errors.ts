/** The statuses and error codes of the contract, with the tests that answer with them. */
import type { Proof } from './row.ts'

export const STATUS_PROOFS: Readonly<Record<number, readonly Proof[]>> = {
  200: [['areas/settings.test.ts', 'are read by every role and by a key']],
  400: [['areas/settings.test.ts', 'refuse the time zone %j with 400']],
  401: [['gateway/credentials.test.ts', 'such as %.40s is 401']],
  403: [['gateway/credentials.test.ts', 'of a user who is not in the tenant is 403']],
  404: [['isolation.test.ts', '%s of another tenant’s id, or another environment’s, answers as of no id']],
  409: [['areas/settings.test.ts', 'refuse an outdated If-Match and accept the current one']],
  422: [['areas/settings.test.ts', 'refuse %j with 422']],
  429: [
    ['gateway/limits/limits.test.ts', 'of a key is 429 with the time to come back, through both interfaces'],
  ],
  500: [['gateway/outage.test.ts', 'an error that nobody expected is 500, through both interfaces']],
}

export const CODE_PROOFS: Readonly<Record<string, readonly Proof[]>> = {
  validation_error: [['areas/agents/rule-codes.test.ts', 'are refused with %s: %s, %s']],
  unknown_integration: [
    ['areas/integrations/list.test.ts', 'that are not in the registry are answered with 404: %j'],
  ],
  rate_limited: [
    [
      'areas/integrations/request.test.ts',
      'is the sixth of a tenant in seven days: refused until the oldest leaves the window',
    ],
  ],
  channel_not_found: [['areas/end-users/tickets.test.ts', 'without the app is 404', 'rest']],
  end_company_not_mapped: [['areas/end-users/tickets.test.ts', 'that is no company’s is 409', 'rest']],
}
