import { scope } from '../../access/policies/policies.ts'
import { callerOf, usersBehind } from '../../access/viewer.ts'
import { invalid } from '../../errors/errors.ts'
import { changedValues } from '../../lib/changed-values.ts'
import { builder } from '../../schema/builder.ts'
import { change } from '../../schema/changes/change.ts'
import { area } from './area.ts'
import { instructions, scheduledFor } from './input.ts'
import { checkIsNoDuplicate, EDITABLE, lockEntry } from './queries.ts'
import { timeProblems } from './rules.ts'
import { entryEtag, entryId, ScheduledWork } from './scheduled-work.ts'

const ScheduledWorkPatch = builder.inputType('ScheduledWorkPatch', {
  description: 'The fields to change. A field that is left out keeps its value.',
  fields: (t) => ({
    scheduled_for: t.field(scheduledFor),
    additional_custom_instructions: t.string(instructions),
  }),
})

area.mutation('reschedule_work', (t) =>
  t.field({
    type: ScheduledWork,
    description: 'Changes the time or the instructions of an entry of scheduled work that is PENDING.',
    rest: { method: 'PATCH', path: '/scheduled-work/{entry_id}' },
    access: scope('scheduled_work:write'),
    errors: [
      'scheduled_work_not_found',
      'scheduled_work_not_editable',
      'scheduled_work_duplicate',
      'version_conflict',
    ],
    etag: entryEtag,
    args: { entry_id: t.arg(entryId), input: t.arg({ type: ScheduledWorkPatch, required: true }) },
    resolve: (_root, { entry_id, input }, ctx) => {
      const { scheduled_for, additional_custom_instructions } = input
      return change(ctx, EDITABLE, lockEntry(ctx, entry_id), {
        verb: 'rescheduled',
        from: ['PENDING'],
        decide: (entry) => {
          // The time that is stored is accepted, however near it has come.
          const isNew = scheduled_for && scheduled_for.getTime() !== entry.scheduled_for.getTime()
          const problems = isNew ? timeProblems(scheduled_for, ctx.now) : []
          if (problems.length > 0) throw invalid(problems)
          const changed = changedValues(entry, {
            ...(scheduled_for && { scheduled_for }),
            ...(additional_custom_instructions !== undefined && {
              additional_custom_instructions: additional_custom_instructions || null,
            }),
          })
          const askers = new Set([...entry.asked_by_user_ids, ...usersBehind(callerOf(ctx))])
          return changed ? { ...changed, asked_by_user_ids: [...askers] } : {}
        },
        beforeWrite: async (entry) => {
          if (scheduled_for) await checkIsNoDuplicate(ctx, { ...entry, scheduled_for }, entry.id)
        },
      })
    },
  }),
)
