import { scope } from '../../access/policies/policies.ts'
import { callerOf, usersBehind } from '../../access/viewer.ts'
import { invalid } from '../../errors/errors.ts'
import { changedValues } from '../../lib/changed-values.ts'
import { builder } from '../../schema/builder.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { area } from './area.ts'
import { instructions, scheduledFor } from './input.ts'
import { checkIsNoDuplicate, SCHEDULED_WORK } from './queries.ts'
import { timeProblems } from './rules.ts'

const ScheduledWorkPatch = builder.inputType('ScheduledWorkPatch', {
  description: 'The fields to change. A field that is left out keeps its value.',
  fields: (t) => ({
    scheduled_for: t.field(scheduledFor),
    additional_custom_instructions: t.string(instructions),
  }),
})

onTable(area, SCHEDULED_WORK).change('reschedule_work', {
  description: 'Changes the time or the instructions of an entry of scheduled work that is PENDING.',
  rest: { method: 'PATCH', path: '/scheduled-work/{entry_id}' },
  access: scope('scheduled_work:write'),
  errors: ['scheduled_work_not_editable', 'scheduled_work_duplicate'],
  input: ScheduledWorkPatch,
  change: (ctx, { input: { scheduled_for, additional_custom_instructions } }) => ({
    verb: 'rescheduled',
    from: ['PENDING'],
    decide(entry) {
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
  }),
})
