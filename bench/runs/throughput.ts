/**
 * Runs a second on one worker and on two, of one tenant and of many. The queue is filled beforehand, and never empty.
 * One worker works all the time and another one in the middle: what one does is measured before and after.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender } from '../contender.ts'
import { connected } from '../data/databases.ts'
import { onCopy } from '../data/kept.ts'
import type { Tenant } from '../data/tenants.ts'
import { type DatabaseCpu, watchDatabase } from '../database-cpu.ts'
import { progress } from '../progress.ts'
import { chainOf, runsDatabase, tenants, thinkerOf, ticketOf } from './data.ts'
import { CALLS_OF_RUN, startModel } from './model.ts'
import type { ThroughputEffort } from './options.ts'
import { type Run, runAll, startApi, startWorker } from './processes.ts'

/** What is run. */
export interface Kind {
  name: string
  tenants: number
  /** Agents that think; the others do what they are told at once. */
  thinks: boolean
}

export const KINDS: readonly Kind[] = [
  { name: 'one tenant', tenants: 1, thinks: true },
  { name: 'many tenants', tenants: tenants.length, thinks: true },
  { name: 'one tenant, instant', tenants: 1, thinks: false },
  { name: 'many tenants, instant', tenants: tenants.length, thinks: false },
]

/** One number of workers for a while. */
export interface Phase {
  workers: number
  runs_a_second: number
  /** Milliseconds of CPU for each run: of the workers, and of the database. */
  worker_ms: number
  database_ms: number | null
}

interface Pace {
  seconds: number
  /** Until then a new worker does as much as later on. */
  settle_ms: number
  /** More runs than two workers end before the last phase is over. */
  runs: number
}

const AT_ONCE = 100

/** A run that thinks takes three answers; instant ones are a hundred a second at most. */
const paceOf = ({ thinks }: Kind, { thinking_seconds, instant_seconds }: ThroughputEffort): Pace =>
  thinks
    ? { seconds: thinking_seconds, settle_ms: 7_000, runs: 4 * AT_ONCE + 60 * (thinking_seconds + 10) }
    : { seconds: instant_seconds, settle_ms: 3_000, runs: 2 * AT_ONCE + 300 * (instant_seconds + 4) }

const runsOf = ({ thinks, tenants: count }: Kind, length: number): Run[] =>
  Array.from({ length }, (_, number) => {
    const index = number % count
    const agent_id = thinks ? thinkerOf(index) : chainOf(index)
    // No two tenants share a ticket: the model thinks as long about it for each, so that their runs would be in step.
    return { tenant: tenants[index] as Tenant, agent_id, ticket_id: ticketOf(number) }
  })

interface Window extends Pick<Phase, 'workers'> {
  from: number
  to: number
  worker_seconds: number
  database_seconds: number | null
}

async function observe(
  working: readonly Contender[],
  database: DatabaseCpu,
  seconds: number,
): Promise<Window> {
  const cpu = () => working.reduce((sum, worker) => sum + worker.cpu(), 0)
  const [from, worker_before, database_before] = [Date.now(), cpu(), await database.seconds()]
  await sleep(seconds * 1000)
  const [to, worker_after, database_after] = [Date.now(), cpu(), await database.seconds()]
  return {
    workers: working.length,
    from,
    to,
    worker_seconds: worker_after - worker_before,
    database_seconds:
      database_before === null || database_after === null ? null : database_after - database_before,
  }
}

// Calls end all the time, while the runs that a worker began together end together too.
const CALLS = `select count(*)::int as calls from tool_call
  where ended_at >= to_timestamp($1 / 1000.0) and ended_at < to_timestamp($2 / 1000.0)`
const LEFT = `select count(*) filter (where status = 'NEW')::int as waiting,
    count(*) filter (where status not in ('NEW', 'RUNNING', 'COMPLETED'))::int as failed
  from execution`

const phasesOf = (url: string, windows: readonly Window[]): Promise<Phase[]> =>
  connected(url, async (client) => {
    const [left] = (await client.query<{ waiting: number; failed: number }>(LEFT)).rows
    if (!left || left.failed > 0) throw new Error(`${left?.failed} runs did not end well`)
    if (left.waiting === 0) throw new Error('The queue was empty before the end')
    const phases: Phase[] = []
    for (const { workers, from, to, worker_seconds, database_seconds } of windows) {
      const [made] = (await client.query<{ calls: number }>(CALLS, [from, to])).rows
      const runs = (made?.calls ?? 0) / CALLS_OF_RUN
      phases.push({
        workers,
        runs_a_second: (runs / (to - from)) * 1000,
        worker_ms: (worker_seconds / runs) * 1000,
        database_ms: database_seconds === null ? null : (database_seconds / runs) * 1000,
      })
    }
    return phases
  })

async function measureKind(url: string, kind: Kind, effort: ThroughputEffort): Promise<Phase[]> {
  progress(`runs of ${kind.name}`)
  const { seconds, settle_ms, runs } = paceOf(kind, effort)
  const model = await startModel()
  const env = {
    MODEL_BASE_URL: model.base_url,
    MODEL_NAME: 'scripted',
    // What one worker may do at once is what two are compared by.
    MODEL_CALLS_AT_ONCE: `${AT_ONCE}`,
    // The one tenant is no neighbour of anybody.
    ...(kind.tenants === 1 && { EXECUTIONS_AT_ONCE: '1000' }),
  }
  const api = await startApi('api', url, env)
  await runAll(api.base, runsOf(kind, runs))
  await api.stop()
  const database = await watchDatabase(url)
  const first = await startWorker('worker 1', url, env)
  await sleep(settle_ms)
  const alone = await observe([first], database, seconds)
  const second = await startWorker('worker 2', url, env)
  await sleep(settle_ms)
  const both = await observe([first, second], database, seconds)
  await second.stop()
  const again = await observe([first], database, seconds)
  await first.stop()
  await database.close()
  await model.close()
  return await phasesOf(url, [alone, both, again])
}

/** The phases of each kind, by its name. */
export async function measureThroughput(effort: ThroughputEffort): Promise<Map<string, Phase[]>> {
  const original = await runsDatabase()
  const measured = new Map<string, Phase[]>()
  for (const kind of KINDS)
    measured.set(kind.name, await onCopy(original, (url) => measureKind(url, kind, effort)))
  return measured
}
