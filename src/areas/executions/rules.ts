/** The rules of executions. */

/** True for a status that the service itself moves on from: with any other the execution waits for people, or has ended. */
export const isUnderWay = (status: string): boolean => status === 'NEW' || status === 'RUNNING'

/** The statuses of an execution that has not come to its end. */
export const LIVE_STATUSES = ['NEW', 'RUNNING', 'WAITING_FOR_APPROVAL', 'WAITING_FOR_INPUT'] as const
