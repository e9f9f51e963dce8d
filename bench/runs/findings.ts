/** What was measured of runs, as the figures that goals name. */
import { exponent, median, noise, percentile } from '../figures.ts'
import type { Figure, Findings } from '../findings.ts'
import { type Backlog, TIMES } from './backlog.ts'
import type { Deliveries } from './deliveries.ts'
import type { Waits } from './fairness.ts'
import type { Flood } from './flood.ts'
import type { Phase } from './phases.ts'
import type { Subscribed } from './subscribers.ts'

const rates = (phases: readonly Phase[], workers: number): number[] =>
  phases.filter((phase) => phase.workers === workers).map(({ a_second }) => a_second)

/** What two workers do, by what one did before and afterwards. */
function twoByOne(phases: readonly Phase[]): Figure {
  const [before = Number.NaN, after = Number.NaN] = rates(phases, 1)
  const [both = Number.NaN] = rates(phases, 2)
  return { value: both / median([before, after]), noise: noise([after], [before]) / 2 }
}

export const fromThroughput = (measured: ReadonlyMap<string, readonly Phase[]>): Findings =>
  new Map([...measured].map(([kind, phases]) => [`two workers, ${kind}`, twoByOne(phases)]))

export const fromDeliveries = ({ phases, waits_ms }: Deliveries): Findings =>
  new Map([
    ['two workers, deliveries', twoByOne(phases)],
    ['deliveries, median', { value: median(waits_ms) / 1000, noise: 0 }],
  ])

export const fromFirstCalls = (times: ReadonlyMap<string, readonly number[]>): Findings =>
  new Map([['first tool call', { value: median([...times.values()].flat()), noise: 0 }]])

/** The slowest of each, in seconds. */
export const fromFairness = (waits: Waits): Findings =>
  new Map(
    Object.entries(waits).map(([what, ms]) => [
      `fairness, ${what}`,
      { value: Math.max(...ms) / 1000, noise: 0 },
    ]),
  )

/** The least is what no other load on the machine has a part in. */
const least = (ms: readonly number[]): number => Math.min(...ms)
const half = (ms: readonly number[], which: number): number[] => ms.filter((_, index) => index % 2 === which)

function growthOf(small: readonly number[], large: readonly number[]): Figure {
  const apart = Math.abs(exponent(least(half(small, 0)), least(half(small, 1)), TIMES))
  return { value: exponent(least(small), least(large), TIMES), noise: apart, added: true }
}

export const fromBacklog = ({ small, large }: Backlog): Findings =>
  new Map<string, Figure>([
    ['backlog, a run', growthOf(small.run_ms, large.run_ms)],
    ['backlog, a sweep', growthOf(small.sweep_ms, large.sweep_ms)],
    ['backlog, the metrics', growthOf(small.scrape_ms, large.scrape_ms)],
    ['backlog, pages of a run', { value: exponent(small.run_pages, large.run_pages, TIMES), noise: 0 }],
    ['backlog, pages of a second', { value: exponent(small.idle_pages, large.idle_pages, TIMES), noise: 0 }],
    ['backlog, kB of a run', { value: large.run_wal / 1000, noise: 0 }],
    ['backlog, jobs', { value: large.jobs_left, noise: 0 }],
  ])

export const fromSubscribers = ({ missing, ended, last_ms }: Subscribed): Findings =>
  new Map([
    ['subscribers, missing', { value: missing, noise: 0 }],
    ['subscribers, ended', { value: ended, noise: 0 }],
    ['subscribers, last', { value: percentile(last_ms, 0.5), noise: 0 }],
  ])

/** The p99 beside a flood, in those of an idle service. */
export const fromFlood = ({ idle_ms, flooded_ms }: Flood): Findings =>
  new Map([['flood, p99', { value: percentile(flooded_ms, 0.99) / percentile(idle_ms, 0.99), noise: 0 }]])
