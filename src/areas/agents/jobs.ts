/** The loop of the schedules of agents. */
import type { Loop } from '../../jobs/loop.ts'
import { takeDueSchedules } from './schedule/schedules.ts'

/** Takes the occurrences that are due, also after downtime. */
export const followSchedules: Loop = {
  name: 'agents.schedule',
  interval_ms: 1000,
  run: (ctx) => takeDueSchedules(ctx),
}
