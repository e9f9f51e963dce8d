/** The fields that callers send when they make a key and when they change it. */
import { NETWORK } from '../../lib/networks.ts'
import { KEY_NAME, LIFETIME_DAYS } from './rules.ts'

export const keyName = {
  min_length: KEY_NAME.min,
  max_length: KEY_NAME.max,
  description: 'Unique among the ACTIVE keys.',
} as const

export const keyDescription = { max_length: 255, nullable: true } as const

export const keyLifetime = {
  ...LIFETIME_DAYS,
  defaultValue: LIFETIME_DAYS.max,
  description: 'For how many days the key works.',
} as const

export const scopeList = {
  min_items: 1,
  description: 'Names from `api_key_scopes`; one that is there twice counts once.',
} as const

export const networkList = {
  max_items: 50,
  form: NETWORK.source,
  description: 'Networks that the key may be used from, in CIDR notation. None: from anywhere.',
} as const
