import { scope } from '../../access/policies/policies.ts'
import { builder } from '../../schema/builder.ts'
import { change } from '../../schema/changes/change.ts'
import { area } from './area.ts'
import { CANCELLABLE, lockEntry } from './queries.ts'
import { entryEtag, entryId, ScheduledWork } from './scheduled-work.ts'

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

area.mutation('cancel_scheduled_work', (t) =>
  t.field({
    type: ScheduledWork,
    description:
      'Cancels an entry of scheduled work that is PENDING. Of one that has started its execution the refusal names the execution, ' +
      'which is cancelled instead.',
    rest: { method: 'POST', path: '/scheduled-work/{entry_id}/cancel' },
    access: scope('scheduled_work:write'),
    errors: ['scheduled_work_not_found', 'scheduled_work_not_cancellable', 'version_conflict'],
    etag: entryEtag,
    args: {
      entry_id: t.arg(entryId),
      input: t.arg({ type: ScheduledWorkCancellation, description: 'May be left out.' }),
    },
    resolve: (_root, { entry_id, input }, ctx) =>
      change(ctx, CANCELLABLE, lockEntry(ctx, entry_id), {
        verb: 'cancelled',
        from: ['PENDING'],
        to: 'CANCELLED',
        decide: () => ({ status: 'CANCELLED' as const, cancel_reason: input?.reason || null }),
      }),
  }),
)
