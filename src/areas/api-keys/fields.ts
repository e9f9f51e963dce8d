/** What callers may say about a key, when they make it and when they change it. */
import { boundedInt, boundedText } from '../../schema/scalars.ts'
import { KEY_NAME, LIFETIME_DAYS } from './rules.ts'

export const ApiKeyName = boundedText('ApiKeyName', {
  ...KEY_NAME,
  description: 'A name of 1 to 80 characters.',
})

export const ApiKeyDescription = boundedText('ApiKeyDescription', {
  max: 255,
  description: 'Text of at most 255 characters; empty text is none.',
})

export const ApiKeyLifetimeDays = boundedInt(
  'ApiKeyLifetimeDays',
  LIFETIME_DAYS.min,
  LIFETIME_DAYS.max,
  'Whole days, 1 to 365.',
)

export const scopeList = {
  min_items: 1,
  description: 'Names from `api_key_scopes`; one that is there twice counts once.',
} as const

export const networkList = {
  max_items: 50,
  description: 'Networks that the key may be used from, in CIDR notation. None: from anywhere.',
} as const
