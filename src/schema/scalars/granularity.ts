import { GRANULARITIES } from '../../lib/buckets.ts'
import { builder } from '../builder.ts'

const DESCRIPTIONS = {
  HOUR: 'Hours of UTC.',
  DAY: 'Days of the tenant’s time zone.',
  WEEK: 'Weeks of the tenant’s time zone, from Monday to Sunday.',
  MONTH: 'Months of the tenant’s time zone.',
}

/** The size of the buckets of every time series. */
export const Granularity = builder.enumType('Granularity', {
  description: 'The size of the buckets of a time series.',
  values: Object.fromEntries(
    GRANULARITIES.map((name) => [name, { description: DESCRIPTIONS[name] }]),
  ) as Record<keyof typeof DESCRIPTIONS, { description: string }>,
})
