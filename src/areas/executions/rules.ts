/** The words and rules of executions. */

/** Where an execution stands. */
export const EXECUTION_STATUSES = {
  NEW: 'Accepted; it waits to be picked up.',
  RUNNING: 'Under way.',
  WAITING_FOR_APPROVAL: 'A write waits for a technician’s approval.',
  WAITING_FOR_INPUT: 'A question waits for a technician’s answer.',
  COMPLETED: 'Done. Final.',
  FAILED: 'It ended with an error. Final.',
  TIMED_OUT: 'It took longer than the agent may. Final.',
  CANCELLED: 'Somebody stopped it. Final.',
  SKIPPED: 'There was nothing to do when it was picked up. Final.',
} as const
export type ExecutionStatus = keyof typeof EXECUTION_STATUSES

/** How far the work of an execution came. */
export const RESOLUTIONS = {
  NONE: 'Nothing was resolved.',
  PARTIAL: 'A part was resolved.',
  FULL: 'All of it was resolved.',
} as const
export type Resolution = keyof typeof RESOLUTIONS

/** What starts executions. */
export const TRIGGERS = {
  TRIGGERED: 'A change in the PSA.',
  SCHEDULED: 'The agent’s schedule.',
  RUN_NOW: 'A person or a program that asked for it.',
  SCHEDULED_WORK: 'Work that was scheduled for this time.',
  RETRY: 'Another attempt at an execution that did not end well.',
} as const
export type Trigger = keyof typeof TRIGGERS

/** What made executions fail. */
export const FAILURE_KINDS = {
  AGENT: 'What the agent was told or decided.',
  TOOL: 'A tool.',
  INTEGRATION: 'A third-party system.',
  LIMIT: 'A limit on time, tool calls or credits.',
  PLATFORM: 'The service itself.',
} as const
export type FailureKind = keyof typeof FAILURE_KINDS

interface Window {
  from?: Date | null | undefined
  to?: Date | null | undefined
}

/** Whether the window can have anything in it; one without a start or an end always can. */
export const isWindow = ({ from, to }: Window): boolean => !from || !to || from < to
