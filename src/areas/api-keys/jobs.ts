/** The loop of API keys. */
import type { Loop } from '../../jobs/loop.ts'
import { tellOfExpiry } from './expiring.ts'

/** Tells of the keys that expire soon, also of those that became due while no process ran. */
export const tellOfExpiringKeys: Loop = {
  name: 'api-keys.expiring',
  interval_ms: 60_000,
  run: (ctx) => tellOfExpiry(ctx),
}
