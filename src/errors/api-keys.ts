import { type ErrorTable, noSuch } from './entry.ts'

export const API_KEYS = {
  api_key_not_found: noSuch('API key'),
  api_key_not_active: { status: 409, message: 'The API key is not active.', fix: 'Create a new key.' },
  api_key_already_rotated: {
    status: 409,
    message: 'The API key has been rotated already.',
    fix: 'Rotate its replacement.',
  },
  api_key_limit_reached: {
    status: 409,
    message: 'The environment has as many active keys as it may have.',
    fix: 'Revoke a key that is not used.',
  },
  api_key_name_taken: {
    status: 409,
    message: 'Another active key has this name.',
    fix: 'Choose another name.',
  },
  secret_already_issued: {
    status: 409,
    message: 'The secret was shown once, in the first answer to this Idempotency-Key.',
    fix: 'Rotate the key in details.api_key_id to get a new secret.',
  },
} as const satisfies ErrorTable
