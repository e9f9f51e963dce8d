import { z } from 'zod'
import { text } from '../details.ts'
import { type ErrorTable, noSuch } from '../entry.ts'

export const EXECUTIONS = {
  execution_not_found: noSuch('execution'),
  execution_not_cancellable: {
    status: 409,
    message: 'The execution has come to its end.',
    fix: 'Read its status: there is nothing left to cancel.',
    details: z.object({
      id: text('The id of the execution.', '1000000'),
      current_status: text('The `status` of the execution.', 'COMPLETED'),
    }),
  },
  execution_not_retryable: {
    status: 409,
    message: 'The execution cannot be retried now.',
    fix: 'Retry one that is FAILED, TIMED_OUT or CANCELLED, while no other execution of the agent is live on the ticket.',
    details: z.object({
      id: text('The id of the execution.', '1000000'),
      current_status: text('The `status` of the execution.', 'COMPLETED'),
      live_execution_id: text('The execution that is live on the ticket.').optional(),
    }),
  },
} as const satisfies ErrorTable
