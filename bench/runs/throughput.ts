/** Runs a second on one worker and on two, of one tenant and of many. */
import { connected } from '../data/databases.ts'
import { onCopy } from '../data/kept.ts'
import type { Tenant } from '../data/tenants.ts'
import { progress } from '../progress.ts'
import { chainOf, runsDatabase, tenants, thinkerOf, ticketOf } from './data.ts'
import { CALLS_OF_RUN, startModel } from './model.ts'
import type { ThroughputEffort } from './options.ts'
import { oneAndTwo, type Pace, type Phase, phaseOf, type Window } from './phases.ts'
import { type Run, runAll, startApi } from './processes.ts'

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

interface FilledPace extends Pace {
  /** More runs than two workers end before the last phase is over. */
  runs: number
}

const AT_ONCE = 100

/** A run that thinks takes three answers; instant ones are a hundred a second at most. */
const paceOf = ({ thinks }: Kind, { thinking_seconds, instant_seconds }: ThroughputEffort): FilledPace =>
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
    for (const window of windows) {
      const [made] = (await client.query<{ calls: number }>(CALLS, [window.from, window.to])).rows
      phases.push(phaseOf(window, (made?.calls ?? 0) / CALLS_OF_RUN))
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
  const windows = await oneAndTwo(url, env, { seconds, settle_ms })
  await model.close()
  return await phasesOf(url, windows)
}

/** The phases of each kind, by its name. */
export async function measureThroughput(effort: ThroughputEffort): Promise<Map<string, Phase[]>> {
  const original = await runsDatabase()
  const measured = new Map<string, Phase[]>()
  for (const kind of KINDS)
    measured.set(kind.name, await onCopy(original, (url) => measureKind(url, kind, effort)))
  return measured
}
