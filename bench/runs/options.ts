/** The parts of the benchmark that are about what workers do, and how much of each is measured. */

export const RUN_PARTS = [
  'runs',
  'fairness',
  'first-call',
  'finished',
  'subscribers',
  'flood',
  'deliveries',
] as const

/** Seconds for which each number of workers is looked at. */
export interface ThroughputEffort {
  thinking_seconds: number
  instant_seconds: number
}

export interface FairnessEffort {
  /** Runs in the queue beside those at work. */
  queued: number
  samples: number
}

export interface BacklogEffort {
  runs: number
  sweeps: number
}

export interface DeliveriesEffort {
  /** Seconds for which each number of workers is looked at. */
  seconds: number
  /** Seconds in which events are written at a steady rate, after those that are not counted. */
  paced_seconds: number
  warm_up_seconds: number
}

export interface RunsEffort {
  throughput: ThroughputEffort
  fairness: FairnessEffort
  /** Runs that are timed until their first tool call, by each interface. */
  first_calls: number
  backlog: BacklogEffort
  /** Changes that a thousand subscribers are told of. */
  changes: number
  /** Seconds in which another tenant is answered, idle and beside the flood. */
  flood_seconds: number
  deliveries: DeliveriesEffort
}

export const runsEffort = (quick: boolean): RunsEffort =>
  quick
    ? {
        throughput: { thinking_seconds: 5, instant_seconds: 3 },
        fairness: { queued: 400, samples: 8 },
        first_calls: 15,
        backlog: { runs: 10, sweeps: 3 },
        changes: 3,
        flood_seconds: 5,
        deliveries: { seconds: 5, paced_seconds: 10, warm_up_seconds: 5 },
      }
    : {
        throughput: { thinking_seconds: 10, instant_seconds: 5 },
        fairness: { queued: 4_000, samples: 30 },
        first_calls: 40,
        backlog: { runs: 25, sweeps: 5 },
        changes: 10,
        flood_seconds: 30,
        deliveries: { seconds: 10, paced_seconds: 40, warm_up_seconds: 10 },
      }
