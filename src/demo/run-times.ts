/** The times of the runs of demo executions. Work is spread evenly over the runs; the rest of the time was waited. */

interface Timed {
  run_count: number
  seconds_spent: number
  started_at: Date
  ended_at: Date
}

const later = (at: Date, ms: number): Date => new Date(at.getTime() + Math.round(ms))

/** The end of the run of this number, and the start of the next one. */
export function pauseOf(
  { started_at, ended_at, seconds_spent, run_count }: Timed,
  run: number,
): { asked: Date; resumed: Date } {
  const whole = ended_at.getTime() - started_at.getTime()
  const work = run_count === 1 ? whole : Math.min(seconds_spent * 1000, whole / 2) / run_count
  const wait = (whole - work * run_count) / Math.max(1, run_count - 1)
  const asked = later(started_at, run * work + (run - 1) * wait)
  return { asked, resumed: later(asked, wait) }
}

/** The time in which the run was under way. */
export const spanOf = (timed: Timed, run: number): { from: Date; to: Date } => ({
  from: run === 1 ? timed.started_at : pauseOf(timed, run - 1).resumed,
  to: pauseOf(timed, run).asked,
})
