/** The loop of skills. */
import type { Loop } from '../../jobs/loop.ts'
import { giveAllBuiltIns } from './built-in.ts'

/** Gives the built-in skills of this release to the tenants of earlier ones. */
export const giveBuiltInSkills: Loop = {
  name: 'skills.give_built_in',
  interval_ms: 3_600_000,
  run: ({ services, now }) => giveAllBuiltIns(services.database.sql, services.environment, now),
}
