/** The parts of the benchmark that are about what workers do. */
import type { Findings } from '../findings.ts'
import type { Report } from '../report.ts'
import { measureBacklog } from './backlog.ts'
import { measureDeliveries } from './deliveries.ts'
import { measureFairness } from './fairness.ts'
import {
  fromBacklog,
  fromDeliveries,
  fromFairness,
  fromFirstCalls,
  fromFlood,
  fromSubscribers,
  fromThroughput,
} from './findings.ts'
import { measureFirstCalls } from './first-call.ts'
import { measureFlood } from './flood.ts'
import type { RunsEffort } from './options.ts'
import { measureSubscribers } from './subscribers.ts'
import {
  backlogTable,
  deliveriesTable,
  fairnessTable,
  firstCallTable,
  floodTable,
  subscribersTable,
  throughputTable,
} from './tables.ts'
import { measureThroughput } from './throughput.ts'

export async function measureRuns(
  parts: ReadonlySet<string>,
  effort: RunsEffort,
  report: Report,
  keep: (found: Findings) => void,
): Promise<void> {
  if (parts.has('runs')) {
    const measured = await measureThroughput(effort.throughput)
    keep(fromThroughput(measured))
    report.add('Runs a second, on one worker and on two', throughputTable(measured))
  }
  if (parts.has('fairness')) {
    const waits = await measureFairness(effort.fairness)
    keep(fromFairness(waits))
    report.add('What a full queue of others costs, on one worker', fairnessTable(waits))
  }
  if (parts.has('first-call')) {
    const times = await measureFirstCalls(effort.first_calls)
    keep(fromFirstCalls(times))
    report.add('From run-now to the first tool call, on an idle worker', firstCallTable(times))
  }
  if (parts.has('finished')) {
    const backlog = await measureBacklog(effort.backlog)
    keep(fromBacklog(backlog))
    report.add('Finished executions, and what they cost those that come', backlogTable(backlog))
  }
  if (parts.has('subscribers')) {
    const measured = await measureSubscribers(effort.changes)
    keep(fromSubscribers(measured))
    report.add('Subscribers to executions, on one process', subscribersTable(measured))
  }
  if (parts.has('flood')) {
    const flood = await measureFlood(effort.flood_seconds)
    keep(fromFlood(flood))
    report.add('One tenant beside another one that floods the service', floodTable(flood))
  }
  if (parts.has('deliveries')) {
    const measured = await measureDeliveries(effort.deliveries)
    keep(fromDeliveries(measured))
    report.add('Deliveries of webhooks, on one worker and on two', deliveriesTable(measured))
  }
}
