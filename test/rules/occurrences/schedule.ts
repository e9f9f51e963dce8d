import type { Schedule } from '../../../src/areas/agents/schedule/rules.ts'

export const schedule = (cron: string, timezone = 'UTC', bounds: Partial<Schedule> = {}): Schedule => ({
  cron,
  timezone,
  start_at: null,
  end_at: null,
  ...bounds,
})
