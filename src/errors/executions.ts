import { type ErrorTable, noSuch } from './entry.ts'

export const EXECUTIONS = {
  execution_not_found: noSuch('execution'),
  execution_not_cancellable: {
    status: 409,
    message: 'The execution has come to its end.',
    fix: 'Read its status: there is nothing left to cancel.',
  },
  execution_not_retryable: {
    status: 409,
    message: 'The execution cannot be retried now.',
    fix: 'Retry one that is FAILED, TIMED_OUT or CANCELLED, while no other execution of the agent is live on the ticket.',
  },
} as const satisfies ErrorTable
