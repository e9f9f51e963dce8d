/** The outcome of events: what the service has stored of them, and what the PSA has got. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Call } from '../doubles/connected-service.ts'
import type { Desk } from './desk.ts'
import { type Calls, NOTE } from './tenant.ts'

const LOOK_MS = 500

const UNDER_WAY = ['NEW', 'RUNNING']
const WAITING = ['WAITING_FOR_INPUT', 'WAITING_FOR_APPROVAL']

interface Funnel {
  received: number
  filtered_out: number
  processed: number
  failed: number
  in_flight: number
}

export interface Outcome {
  /** Executions by status. */
  executions: Record<string, number>
  /** The tickets that have more than one execution. */
  run_twice: string[]
  funnel: Funnel
  /** The callbacks that are under way. */
  under_way: unknown[]
  /** Requests to technicians. */
  til_requests: number
  /** The tickets by the number of their notes. */
  notes: Record<number, number>
  /** Notes with another text. */
  other_notes: number
  /** The events that were not accepted at their first attempt, by the statuses of their attempts. */
  refused: Record<string, number>
}

const countOf = <Key extends string | number>(keys: readonly Key[]): Record<Key, number> => {
  const counts = {} as Record<Key, number>
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1
  return counts
}

async function funnelOf(call: Call): Promise<Funnel> {
  const { callbacks } = await call('GET', '/observability/callback-funnel')
  const { received, filtered_out, processed, failed, in_flight } = callbacks
  return { received, filtered_out, processed, failed, in_flight }
}

const isThere = async (call: Call, statuses: readonly string[]): Promise<boolean> =>
  (await call('GET', `/executions?page_size=1&status=${statuses.join(',')}`)).length > 0

/** The events that the service accepted, each once. */
const accepted = ({ events }: Desk): number =>
  new Set(events.filter(({ statuses }) => statuses.includes(202)).map(({ event_id }) => event_id)).size

/** Whether every event is processed, and every execution is at its end or waits for a person. */
async function hasEnded(call: Call, desk: Desk): Promise<boolean> {
  if (!desk.isIdle()) return false
  const before = await funnelOf(call)
  if (before.in_flight > 0 || before.received < accepted(desk)) return false
  if (await isThere(call, UNDER_WAY)) return false
  // A run that ended meanwhile may have written a note, of which the PSA tells.
  const after = await funnelOf(call)
  return desk.isIdle() && after.in_flight === 0 && after.received === before.received
}

/** Resolves once all has ended, or with false at the end of the time. A call that fails is made again. */
export async function ended({ call }: Calls, desk: Desk, within_ms: number): Promise<boolean> {
  for (const end = performance.now() + within_ms; performance.now() < end; await sleep(LOOK_MS))
    if (await hasEnded(call, desk).catch(() => false)) return true
  return false
}

export async function outcomeOf({ call, list }: Calls, desk: Desk): Promise<Outcome> {
  const { double, tickets, events } = desk
  const executions = (await list('/executions')) as { status: string; entity_id: string }[]
  const runs = countOf(executions.map(({ entity_id }) => entity_id))
  const notes = tickets.map((ticket_id) => double.notesOf(ticket_id))
  const refused = events.filter(({ statuses }) => statuses[0] !== 202)
  return {
    executions: countOf(executions.map(({ status }) => status)),
    run_twice: Object.keys(runs).filter((ticket_id) => (runs[ticket_id] ?? 0) > 1),
    funnel: await funnelOf(call),
    under_way: await list('/callbacks?status=RECEIVED,QUEUED,PROCESSING'),
    til_requests: (await list('/til-requests')).length,
    notes: countOf(notes.map((texts) => texts.length)),
    other_notes: notes.flat().filter((text) => !text.includes(NOTE)).length,
    refused: countOf(refused.map(({ statuses }) => statuses.join(' '))),
  }
}

/** The executions that wait for a person. */
export const waitingForPeople = ({ executions }: Outcome): number =>
  WAITING.reduce((sum, status) => sum + (executions[status] ?? 0), 0)
