/** What was measured of runs, as Markdown. */
import { exponent, median, percentile } from '../figures.ts'
import { table, two } from '../markdown.ts'
import { type Backlog, FEWER, TIMES } from './backlog.ts'
import { type Deliveries, ENDPOINTS, PART } from './deliveries.ts'
import type { Waits } from './fairness.ts'
import { CALLS_AT_ONCE, type Flood } from './flood.ts'
import { ANSWER_MS, SLOW_MS } from './manners.ts'
import { CALLS_OF_RUN, MEAN_MS } from './model.ts'
import type { Phase } from './phases.ts'
import { SUBSCRIBERS, type Subscribed } from './subscribers.ts'
import { KINDS } from './throughput.ts'

const middle = (phases: readonly Phase[], value: (phase: Phase) => number | null) =>
  median(phases.map((phase) => value(phase) ?? Number.NaN))

/** One row for each kind of work. */
function workersTable(
  work: string,
  of_each: string,
  measured: ReadonlyMap<string, readonly Phase[]>,
): string {
  const rows = [...measured].map(([kind, phases]) => {
    const [one, both] = [1, 2].map((workers) => phases.filter((phase) => phase.workers === workers))
    if (!one || !both) return [kind]
    const rate = (of: readonly Phase[]) => middle(of, ({ a_second }) => a_second)
    return [
      kind,
      two(rate(one)),
      two(rate(both)),
      two(rate(both) / rate(one)),
      two(middle(both, ({ worker_ms }) => worker_ms)),
      two(middle(both, ({ database_ms }) => database_ms)),
    ]
  })
  const head = [
    work,
    'a second on one worker',
    'on two',
    'times',
    `CPU ms of a ${of_each}`,
    'of the database',
  ]
  return table(head, rows)
}

export function throughputTable(measured: ReadonlyMap<string, readonly Phase[]>): string {
  const [of_many] = KINDS.filter((kind) => kind.tenants > 1)
  return (
    `${workersTable('runs of', 'run', measured)}\n\n` +
    `A run makes ${CALLS_OF_RUN} tool calls on the local PSA: it reads a ticket, adds a note and changes the priority. Runs ` +
    `are counted by these calls. ` +
    `The agents think: a model answers three times, after ${MEAN_MS / 1000} s on average. Workers are as they are ` +
    'configured without a word, so that a worker has 100 runs at once; the one tenant may have as many, and each of ' +
    `the ${of_many?.tenants} tenants its 20. Instant agents do the same without a model: both cores are busy with one ` +
    'worker and the database already, so that a second one has little to bring, and there is no goal.'
  )
}

export function deliveriesTable({ phases, events_a_second, waits_ms }: Deliveries): string {
  const rates = workersTable('deliveries', 'delivery', new Map([[`${ENDPOINTS} endpoints`, phases]]))
  const seconds = [0.5, 0.95, 1].map((share) => two(percentile(waits_ms, share) / 1000))
  const waits = table(
    ['from the write of an event to a healthy endpoint', 'deliveries', 'p50 s', 'p95 s', 'slowest s'],
    [[`${events_a_second.toFixed(0)} events a second`, `${waits_ms.length}`, ...seconds]],
  )
  return (
    `${rates}\n\n${waits}\n\nEndpoints answer after ${ANSWER_MS} ms; there are more of them than two workers have ` +
    `places for. Waits are measured at ${two(PART)} of the rate of two workers, while a tenth of the endpoints is dead and ` +
    `another tenth answers after ${SLOW_MS / 1000} s.`
  )
}

export const fairnessTable = (waits: Waits): string =>
  `${table(
    ['waits', 'samples', 'p50 ms', 'slowest ms'],
    Object.entries(waits).map(([label, ms]) => [
      label,
      `${ms.length}`,
      ...[0.5, 1].map((share) => percentile(ms, share).toFixed(0)),
    ]),
  )}\n\nTwenty tenants have twenty runs each at work, which wait for a slow model, and thousands in the queue.`

export const firstCallTable = (times: ReadonlyMap<string, readonly number[]>): string =>
  `${table(
    ['asked by', 'runs', 'p50 ms', 'p95 ms', 'slowest ms'],
    [...times].map(([label, ms]) => [
      label,
      `${ms.length}`,
      ...[0.5, 0.95, 1].map((share) => Math.round(percentile(ms, share)).toFixed(0)),
    ]),
  )}\n\nFrom the client's request to the call of the PSA, through a process that answers calls and one that works.`

const least = (ms: readonly number[]) => Math.min(...ms)

export function backlogTable({ small, large }: Backlog): string {
  const row = (name: string, of: (cost: Backlog['small']) => number) => [
    name,
    two(of(small)),
    two(of(large)),
    two(exponent(of(small), of(large), TIMES)),
  ]
  const rows = [
    row('a run, from the request to its end, ms', ({ run_ms }) => least(run_ms)),
    row('a look for lost executions, ms', ({ sweep_ms }) => least(sweep_ms)),
    row('a scrape of the metrics, ms', ({ scrape_ms }) => least(scrape_ms)),
    row('pages of a run', ({ run_pages }) => run_pages),
    row('bytes of a run in the write-ahead log', ({ run_wal }) => Math.round(run_wal)),
    row('pages of a second without runs', ({ idle_pages }) => idle_pages),
  ]
  const counts = [FEWER, FEWER * TIMES].map((count) => `after ${count.toLocaleString('en')}`)
  return (
    `${table(['one process, otherwise idle', ...counts, 'exponent'], rows)}\n\nOf the jobs of those executions, ` +
    `${large.jobs_left} are left after maintenance. Times are the least of ${small.run_ms.length} and more; pages are ` +
    'those of 8 kB that PostgreSQL looked at, everything that goes on beside the runs included. The bytes are of ' +
    'changes of rows and indexes, without the copies of whole pages that follow a checkpoint.'
  )
}

export function subscribersTable(measured: Subscribed): string {
  const { first_ms, last_ms, missing, ended, megabytes, update_cpu_ms, idle_cpu_ms } = measured
  const rows = [
    ['changes', `${last_ms.length}`],
    ['ms until the first one knows, p50', Math.round(median(first_ms)).toFixed(0)],
    ['ms until the last one knows, p50', Math.round(median(last_ms)).toFixed(0)],
    ['slowest', Math.round(percentile(last_ms, 1)).toFixed(0)],
    ['updates that did not come', `${missing}`],
    ['streams that ended', `${ended}`],
    ['CPU ms of an update of one subscriber', two(update_cpu_ms)],
    ['CPU ms of a second without changes', two(idle_cpu_ms)],
    ['MB without subscribers', Math.round(megabytes.without).toFixed(0)],
    ['MB with them', Math.round(megabytes.with).toFixed(0)],
  ]
  return table([`${SUBSCRIBERS.toLocaleString('en')} subscribers`, ''], rows)
}

export function floodTable({ idle_ms, flooded_ms, answered, refused }: Flood): string {
  const row = (name: string, ms: readonly number[]) => [
    name,
    ...[0.5, 0.99].map((share) => two(percentile(ms, share))),
  ]
  const rows = [row('idle', idle_ms), row(`beside ${CALLS_AT_ONCE} searches of another tenant`, flooded_ms)]
  return `${table(['a page of agents', 'p50 ms', 'p99 ms'], rows)}\n\nOf the searches ${answered} were answered and ${refused} refused.`
}
