import { z } from 'zod'
import { KEY_STATUS, text, textOrNull, whole } from '../details.ts'
import { type ErrorTable, noSuch } from '../entry.ts'

export const API_KEYS = {
  api_key_not_found: noSuch('API key'),
  api_key_not_active: {
    status: 409,
    message: 'The API key is not active.',
    fix: 'Create a new key.',
    details: KEY_STATUS,
  },
  api_key_already_rotated: {
    status: 409,
    message: 'The API key has been rotated already.',
    fix: 'Rotate its replacement.',
    details: KEY_STATUS.extend({ replaced_by_key_id: textOrNull('The key that replaces it.', 'key_8') }),
  },
  api_key_limit_reached: {
    status: 409,
    message: 'The environment has as many active keys as it may have.',
    fix: 'Revoke a key that is not used.',
    details: KEY_STATUS.extend({ limit: whole('The most active keys.', 50) }),
  },
  api_key_name_taken: {
    status: 409,
    message: 'Another active key has this name.',
    fix: 'Choose another name.',
    details: KEY_STATUS.extend({ api_key_id: text('The key that has the name.', 'key_7') }),
  },
  secret_already_issued: {
    status: 409,
    message: 'The secret was shown once, in the first answer to this Idempotency-Key.',
    fix: 'Rotate the key in details.api_key_id, or the secret of the endpoint in details.endpoint_id, to get a new one.',
    details: z.object({
      api_key_id: text('The key, if the secret is of one.', 'key_7').optional(),
      endpoint_id: text('The webhook endpoint, if the secret is of one.', 'whe_7').optional(),
    }),
  },
} as const satisfies ErrorTable
