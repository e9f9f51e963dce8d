/** Webhooks under load, as Markdown. */
import { secondsFor, type Vendor } from '../../test/load/floor.ts'
import { percentile } from '../figures.ts'
import { table, two } from '../markdown.ts'
import type { Burst } from './burst.ts'
import type { Flood } from './flood.ts'
import { NAMES } from './goals.ts'
import type { Outage } from './outage.ts'
import type { Single } from './single.ts'

export interface Measured {
  burst: Map<Vendor, Burst>
  errors: Map<Vendor, Burst>
  outage: Map<Vendor, Outage>
  flood: Map<Vendor, Flood>
  single: Map<Vendor, Single>
}

const counted = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ')

const statuses = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([status, count]) => `${count} ${status}`)
    .join(', ')

function burstTable(bursts: ReadonlyMap<Vendor, Burst>): string {
  const rows = [...bursts].map(([vendor, one]) => [
    `${NAMES[vendor]}, ${one.tickets.toLocaleString('en')}`,
    one.ended ? one.seconds.toFixed(0) : `more than ${one.seconds.toFixed(0)}`,
    one.floor_seconds.toFixed(0),
    two(one.seconds / one.floor_seconds),
    `${one.requests}`,
    `${one.floor_requests}`,
    two(one.requests / one.floor_requests),
    two(one.seconds / one.paced_seconds),
    `${one.waiting}`,
    percentile(one.ingest_ms, 0.99).toFixed(0),
  ])
  const head = [
    'tickets',
    's',
    'floor',
    'times',
    'requests',
    'floor',
    'times',
    'time by that of the requests made',
  ]
  const notes = [...bursts].map(([vendor, { budget, requests, by_kind, outcome }]) => {
    const made = `${counted(by_kind)}; executions: ${statuses(outcome.executions)}`
    const quota = `quota ${budget.quota}, of which ${budget.at_start} are left at the start`
    return `- ${NAMES[vendor]}: ${quota}; ${requests} requests take ${secondsFor(budget, requests).toFixed(0)} s. ${made}`
  })
  const all = table([...head, 'wait for a person', 'p99 of ingest, ms'], rows)
  return `${all}\n\n${notes.join('\n')}`
}

const outageTable = (outages: ReadonlyMap<Vendor, Outage>): string =>
  table(
    ['50 tickets, and an outage of 180 s', 's from its end until all are processed', 'requests meanwhile'],
    [...outages].map(([vendor, { seconds, requests_meanwhile }]) => [
      NAMES[vendor],
      seconds === null ? 'more than 300' : seconds.toFixed(0),
      `${requests_meanwhile}`,
    ]),
  )

const floodTable = (floods: ReadonlyMap<Vendor, Flood>): string =>
  table(
    [
      'from the webhook to the note, median',
      'alone, ms',
      'beside a flood, ms',
      'times',
      'tickets without a note',
    ],
    [...floods].map(([vendor, { alone_ms, beside_ms, without_note }]) => [
      NAMES[vendor],
      alone_ms.toFixed(0),
      beside_ms.toFixed(0),
      two(beside_ms / alone_ms),
      `${without_note}`,
    ]),
  )

const singleTable = (singles: ReadonlyMap<Vendor, Single>): string =>
  table(
    ['one ticket alone', 'requests', 'which', 'at once, of 60 tickets', 'for'],
    [...singles].map(([vendor, { requests, by_kind, at_once, object }]) => [
      NAMES[vendor],
      `${requests}`,
      counted(by_kind),
      `${at_once}`,
      object,
    ]),
  )

const ABOUT = `\`npm run bench:psa\` prints this. A process that answers calls and two that work, tenants that are connected to doubles
of their PSAs, and an agent without a model that writes a note on each new ticket. The floor of requests is what a ticket needs:
its part of the fewest requests that read ten tickets, the note, and, of a PSA that tells of notes, that part again. With 10 % of
errors those requests are made again, and the PSA is asked once for each note that was answered by an error, or twice where a query
may be late. The floor of time is that of the token bucket for so many requests. Quotas are set so that it is 60 s and 120 s. The
most requests at once are counted while the PSA takes 50 ms for each.`

/** The tables of what was measured, the goals first. */
export function sectionOf({ burst, errors, outage, flood, single }: Measured, goals: string): string {
  const tables = [
    ...(goals ? [goals] : []),
    ...(burst.size > 0 ? [`Tickets at once:\n\n${burstTable(burst)}`] : []),
    ...(errors.size > 0 ? [`Tickets at once, 10 % of the answers are errors:\n\n${burstTable(errors)}`] : []),
    ...(outage.size > 0 ? [outageTable(outage)] : []),
    ...(flood.size > 0 ? [floodTable(flood)] : []),
    ...(single.size > 0 ? [singleTable(single)] : []),
  ]
  return [ABOUT, ...tables].join('\n\n')
}
