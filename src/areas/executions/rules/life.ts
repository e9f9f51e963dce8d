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

/**
 * PICK_UP: a worker takes it up. SKIP: its conditions hold no more. ASK_APPROVAL, ASK_INPUT: a technician is asked.
 * RESUME: the request was settled. COMPLETE, FAIL, TIME_OUT: the work ends. CANCEL: somebody stops it.
 */
export const EVENTS = [
  'PICK_UP',
  'SKIP',
  'ASK_APPROVAL',
  'ASK_INPUT',
  'RESUME',
  'COMPLETE',
  'FAIL',
  'TIME_OUT',
  'CANCEL',
] as const

export type LifeEvent = (typeof EVENTS)[number]

type Transitions = Readonly<Partial<Record<LifeEvent, Status>>>

const FINAL: Transitions = {}

const TRANSITIONS: Readonly<Record<Status, Transitions>> = {
  NEW: { PICK_UP: 'RUNNING', SKIP: 'SKIPPED', CANCEL: 'CANCELLED' },
  RUNNING: {
    ASK_APPROVAL: 'WAITING_FOR_APPROVAL',
    ASK_INPUT: 'WAITING_FOR_INPUT',
    COMPLETE: 'COMPLETED',
    FAIL: 'FAILED',
    TIME_OUT: 'TIMED_OUT',
    CANCEL: 'CANCELLED',
  },
  WAITING_FOR_APPROVAL: { RESUME: 'RUNNING', COMPLETE: 'COMPLETED', CANCEL: 'CANCELLED' },
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
