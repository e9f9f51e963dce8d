/** The life of an execution: its statuses, the events that change them, and the status of each run that ends. */

export const STATUSES = [
  'NEW',
  'RUNNING',
  'WAITING_FOR_APPROVAL',
  'WAITING_FOR_INPUT',
  'COMPLETED',
  'FAILED',
  'TIMED_OUT',
  'CANCELLED',
  'SKIPPED',
] as const

export type Status = (typeof STATUSES)[number]

/** The statuses of an execution that has not come to its end. */
export const LIVE_STATUSES = ['NEW', 'RUNNING', 'WAITING_FOR_APPROVAL', 'WAITING_FOR_INPUT'] as const

/** True for a status that the service itself moves on from: with any other the execution waits for people, or has ended. */
export const isUnderWay = (status: string): boolean => status === 'NEW' || status === 'RUNNING'

export const isFinal = (status: Status): boolean => !(LIVE_STATUSES as readonly Status[]).includes(status)

/** The events that change the status of an execution, each with who or what causes it. */
export const CAUSES = {
  PICK_UP: 'a worker, if a slot is free',
  SKIP: 'a worker, if the conditions of the agent are no longer met',
  ASK_APPROVAL: 'the gate, for a call or plan that a technician approves',
  ASK_INPUT: 'the gate, for a question to a technician',
  RESUME: 'a decision of a technician, or its expiry',
  COMPLETE: 'the decider, or a rejected plan',
  FAIL: 'the decider, a ceiling, or lost workers',
  TIME_OUT: 'the deadline of the run',
  CANCEL: 'a caller',
} as const

export type LifeEvent = keyof typeof CAUSES

export const EVENTS = Object.keys(CAUSES) as LifeEvent[]

type Transitions = Readonly<Partial<Record<LifeEvent, Status>>>

const FINAL: Transitions = {}

/** Every transition. README.md of the engine shows them as a diagram, which a test compares with this table. */
export const TRANSITIONS: Readonly<Record<Status, Transitions>> = {
  NEW: { PICK_UP: 'RUNNING', SKIP: 'SKIPPED', FAIL: 'FAILED', CANCEL: 'CANCELLED' },
  RUNNING: {
    ASK_APPROVAL: 'WAITING_FOR_APPROVAL',
    ASK_INPUT: 'WAITING_FOR_INPUT',
    COMPLETE: 'COMPLETED',
    FAIL: 'FAILED',
    TIME_OUT: 'TIMED_OUT',
    CANCEL: 'CANCELLED',
  },
  WAITING_FOR_APPROVAL: { RESUME: 'RUNNING', CANCEL: 'CANCELLED' },
  WAITING_FOR_INPUT: { RESUME: 'RUNNING', CANCEL: 'CANCELLED' },
  COMPLETED: FINAL,
  FAILED: FINAL,
  TIMED_OUT: FINAL,
  CANCELLED: FINAL,
  SKIPPED: FINAL,
}

/** The status after the event; null if an execution at this status refuses it. */
export const nextStatus = (status: Status, event: LifeEvent): Status | null =>
  TRANSITIONS[status][event] ?? null

type RunStatus = 'RUNNING' | 'PAUSED' | 'COMPLETED' | 'FAILED' | 'TIMED_OUT' | 'CANCELLED'

/** The status of the run that is open when its execution comes to the status. */
export function runStatusAt(status: Status): RunStatus {
  switch (status) {
    case 'RUNNING':
    case 'COMPLETED':
    case 'FAILED':
    case 'TIMED_OUT':
    case 'CANCELLED':
      return status
    case 'WAITING_FOR_APPROVAL':
    case 'WAITING_FOR_INPUT':
      return 'PAUSED'
    default:
      throw new Error(`An execution that is ${status} has no run`)
  }
}

/** The statuses from which another attempt can be made. */
const RETRYABLE: readonly Status[] = ['FAILED', 'TIMED_OUT', 'CANCELLED']

export const isRetryable = (status: Status): boolean => RETRYABLE.includes(status)
