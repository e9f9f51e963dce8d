/** The intervals at which a worker looks for work that no notification announces. */
export interface WorkerIntervals {
  /** For jobs, such as those whose pause is over. */
  look_ms: number
  /** For jobs that lost their worker or were given back, and for those that died. */
  resume_ms: number
  /** For attempts whose worker is not heard of. */
  supervise_seconds: number
  /** For a way to start, once it has found none. */
  retry_ms: number
}

export const WORKER_INTERVALS: WorkerIntervals = {
  look_ms: 2_000,
  resume_ms: 5_000,
  supervise_seconds: 5,
  retry_ms: 5_000,
}
