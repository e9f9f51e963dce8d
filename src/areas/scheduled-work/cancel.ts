import { scope } from '../../access/policies/policies.ts'
import { builder } from '../../schema/builder.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { area } from './area.ts'
import { CANCELLED_WORK } from './queries.ts'

const ScheduledWorkCancellation = builder.inputType('ScheduledWorkCancellation', {
  description: 'The reason of the cancellation.',
  fields: (t) => ({
    reason: t.string({
      max_length: 1024,
      nullable: true,
      description: 'The reason. null or empty: none is given.',
    }),
  }),
})

onTable(area, CANCELLED_WORK).change('cancel_scheduled_work', {
  description:
    'Cancels an entry of scheduled work that is PENDING. Of one that has started its execution the refusal names the execution, ' +
    'which is cancelled instead.',
  rest: { method: 'POST', path: '/scheduled-work/{entry_id}/cancel' },
  access: scope('scheduled_work:write'),
  errors: ['scheduled_work_not_cancellable'],
  input: ScheduledWorkCancellation,
  input_required: false,
  change: (_ctx, { input }) => ({
    verb: 'cancelled',
    from: ['PENDING'],
    to: 'CANCELLED',
    decide: () => ({ status: 'CANCELLED', cancel_reason: input?.reason || null }),
  }),
})
