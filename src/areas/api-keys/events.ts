/** The events of API keys. */
import { declareEvents, maybeText, text } from '../../schema/events/declare.ts'
import { ADMINS } from '../../schema/events/sight.ts'
import type { ApiKeyRow } from './api-key.ts'
import type { Status } from './rules.ts'

const API_KEY_EVENTS = declareEvents('api_key', {
  data: {
    api_key_id: text('The key.'),
    name: text('The name of the key.'),
    status: text('The status of the key.'),
    expires_at: text('When the key expires.'),
    replaced_by_key_id: maybeText('The key that replaces this one. null: the key was not rotated.'),
  },
  seen: ADMINS,
  about: ({ api_key_id }) => ({ id: api_key_id }),
  events: {
    created: 'An API key was created. A rotation makes a key without this event.',
    rotated: 'An API key was replaced by a new one. It works for 24 more hours, or until it expires.',
    revoked: 'An API key was revoked.',
    expiring: {
      severity: 'WARNING',
      description:
        'An API key expires within 14 days, and has not been rotated. Each key has the event once, however long it lives.',
    },
  },
})

type Told = Pick<ApiKeyRow, 'id' | 'name' | 'expires_at' | 'replaced_by_key_id'>

const dataOf = ({ id: api_key_id, name, expires_at, replaced_by_key_id }: Told, status: Status) => ({
  api_key_id,
  name,
  status,
  expires_at: expires_at.toISOString(),
  replaced_by_key_id,
})

/** The events of a change, by its past verb. */
export function eventsOfChange(verb: string, key: Told) {
  if (verb === 'created') return [API_KEY_EVENTS.created(dataOf(key, 'ACTIVE'))]
  if (verb === 'rotated') return [API_KEY_EVENTS.rotated(dataOf(key, 'SUNSETTING'))]
  return verb === 'revoked' ? [API_KEY_EVENTS.revoked(dataOf(key, 'REVOKED'))] : []
}

/** The event of an ACTIVE key that expires soon. */
export const expiring = (key: Told) => API_KEY_EVENTS.expiring(dataOf(key, 'ACTIVE'))
