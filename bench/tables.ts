/** What was measured, as Markdown. */
import type { ColdStart } from './cold-start.ts'
import { BARE } from './cold-start.ts'
import type { Rounds } from './compare.ts'
import { FLOOR } from './contenders.ts'
import { exponent, median, percentile, type Ratio, ratio } from './figures.ts'
import { type Growth, TIMES } from './growth.ts'
import { AGENTS, type InboxLoad } from './inbox.ts'
import type { Loaded, Measured } from './load.ts'
import { table, two } from './markdown.ts'
import type { StatementCosts } from './statements.ts'
import type { Waits } from './waits.ts'

const spread = ({ median: middle, min, max }: Ratio) => `${two(middle)} [${two(min)}..${two(max)}]`

/** Everybody's ratios to the first contender, and that one's own figures. */
export function readTable(rounds: Rounds): string {
  const floor = rounds.get(FLOOR) ?? []
  const of = (measured: readonly Measured[], value: (one: Measured) => number) =>
    ratio(measured.map(value), floor.map(value))
  const rows = [...rounds].map(([label, measured]) => [
    label,
    spread(of(measured, (one) => one.rate)),
    two(of(measured, (one) => one.p50).median),
    two(of(measured, (one) => one.p99).median),
    two(of(measured, (one) => one.cpu_ms).median),
    two(of(measured, (one) => one.database_ms ?? Number.NaN).median),
  ])
  const middle = (value: (one: Measured) => number) => median(floor.map(value))
  const database = middle((one) => one.database_ms ?? Number.NaN)
  const own =
    `Of the expert floor: ${Math.round(middle((one) => one.rate)).toLocaleString('en')} requests/s, ` +
    `p50 ${two(middle((one) => one.p50))} ms, p99 ${two(middle((one) => one.p99))} ms, CPU per request ` +
    `${middle((one) => one.cpu_ms).toFixed(3)} ms, of the database ` +
    `${Number.isNaN(database) ? 'unknown: its server is not on this machine' : `${database.toFixed(3)} ms`}.`
  return `${table(['contender', 'requests/s', 'p50', 'p99', 'CPU', 'CPU of the database'], rows)}\n\n${own}`
}

export function inboxTable({ idle, meanwhile, events, miscounted, behind_seconds }: InboxLoad): string {
  return (
    `While nothing happens:\n\n${readTable(idle)}\n\nWhile inboxes fill:\n\n${readTable(meanwhile)}\n\n${events.toLocaleString('en')} failures of ` +
    `${AGENTS} agents came into the inboxes; ${two(behind_seconds)} s after the last one each inbox had all of them, ` +
    `${miscounted === 0 ? 'and none was lost or counted twice' : `but ${miscounted} were lost or counted twice`}. The writer of ` +
    'the events and the worker have a part of both cores, which the floor lacks too.'
  )
}

/** The service asks for the columns of a prepared statement once, and reads rows by one function. */
export const statementsTable = (measured: ReadonlyMap<string, StatementCosts>): string =>
  table(
    ['CPU of the process for each, in µs', 'our query', 'query of pg', 'pg again (A/A)', 'ours, times pg'],
    [...measured].map(([name, { ours, pg, again }]) => [
      name,
      ...[ours, pg, again].map((costs) => median(costs).toFixed(1)),
      spread(ratio(ours, pg)),
    ]),
  )

export const growthTable = (grown: ReadonlyMap<string, Growth>): string =>
  table(
    ['one request, alone', 'ms', `ms at ${TIMES} times the rows`, 'exponent'],
    [...grown].map(([name, { small, large }]) => [
      name,
      two(small),
      two(large),
      two(exponent(small, large, TIMES)),
    ]),
  )

export function coldStartTable(starts: ReadonlyMap<string, readonly ColdStart[]>): string {
  const ms = (name: string) => starts.get(name)?.map((start) => start.ms) ?? []
  const rows = [...starts].map(([name, all]) => [
    name,
    Math.round(median(ms(name))).toFixed(0),
    spread(ratio(ms(name), ms(BARE))),
    Math.round(median(all.map(({ megabytes }) => megabytes))).toFixed(0),
  ])
  return table(['process', 'ms to the first 200', 'times bare', 'MB then'], rows)
}

export const connectionsTable = (loads: ReadonlyMap<string, Loaded>): string =>
  table(
    [
      'interface',
      'answers',
      'requests/s',
      'p50 ms',
      'slowest ms',
      'socket errors',
      'answers not 2xx, or with errors',
    ],
    [...loads].map(([name, { answers, rate, latencies, socket_errors, refused }]) => [
      name,
      answers.toLocaleString('en'),
      Math.round(rate).toLocaleString('en'),
      Math.round(median(latencies)).toFixed(0),
      Math.round(latencies.reduce((most, ms) => Math.max(most, ms), 0)).toFixed(0),
      `${socket_errors}`,
      [...refused].map(([status, count]) => `${status}: ${count}`).join(', ') || '0',
    ]),
  )

export function waitsTable({ writes, syncs, looks }: Waits): string {
  const rows = [...writes].map(([name, ms]) => [
    name,
    `${ms.length}`,
    ...[0.5, 0.95, 0.99].map((share) => two(percentile(ms, share))),
  ])
  const measured = table(['write', 'times', 'p50 ms', 'p95 ms', 'p99 ms'], rows)
  return (
    `${measured}\n\nTwo workers on one agent and two who map links of one system, beside ${syncs} syncs of 10,000 links. ` +
    `In ${looks.seen} looks, ${looks.waiting} sessions waited for a lock.`
  )
}
