import { scope } from '../../access/policies/policies.ts'
import { callerOf, recordedName, usersBehind } from '../../access/viewer.ts'
import { psaOf } from '../../connectors/psa.ts'
import { ApiError, bodyProblem, invalid } from '../../errors/errors.ts'
import { builder } from '../../schema/builder.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { readRunnable } from '../agents/index.ts'
import { area } from './area.ts'
import { instructions, scheduledFor } from './input.ts'
import { checkIsNoDuplicate, SCHEDULED_WORK } from './queries.ts'
import { agentProblem, entityProblems, timeProblems } from './rules.ts'

const ScheduledWorkDraft = builder.inputType('ScheduledWorkDraft', {
  description: 'The run to queue.',
  fields: (t) => ({
    workflow_id: t.int({
      required: true,
      min: 1,
      description: 'The agent, by its `id`: one that is TRIGGERED and ACTIVE, and works on tickets.',
    }),
    ticket_id: t.field({ type: 'ID', required: true, description: 'The ticket, by its id in the PSA.' }),
    scheduled_for: t.field({ ...scheduledFor, required: true }),
    additional_custom_instructions: t.string(instructions),
  }),
})

onTable(area, SCHEDULED_WORK).create('create_scheduled_work', {
  description:
    'Queues a run of a TRIGGERED agent on a ticket for a time. An agent is queued for a ticket once in a minute.',
  rest: { method: 'POST', path: '/scheduled-work' },
  access: scope('scheduled_work:write', 'agents:run'),
  errors: [
    'agent_not_found',
    'agent_not_triggered',
    'agent_not_active',
    'scheduled_work_duplicate',
    'upstream_unavailable',
  ],
  input: ScheduledWorkDraft,
  async values(ctx, { workflow_id, ticket_id, scheduled_for, additional_custom_instructions }) {
    const problems = timeProblems(scheduled_for, ctx.now)
    if (problems.length > 0) throw invalid(problems)
    const agent = await readRunnable(ctx, workflow_id)
    const code = agentProblem(agent)
    if (code) throw new ApiError(code, { details: { current_state: agent.state } })
    const wrongEntity = entityProblems(agent)
    if (wrongEntity.length > 0) throw invalid(wrongEntity)
    const ticket = await psaOf(ctx).ticket(ticket_id)
    // Contract silent: a ticket that the PSA does not have cannot be queued.
    if (!ticket) throw invalid([bodyProblem('ticket_id', 'unknown', 'is no ticket of the PSA')])
    const queued = { workflow_id, ticket_id, scheduled_for }
    await checkIsNoDuplicate(ctx, queued, null)
    return {
      ...queued,
      ticket_number: ticket.number,
      additional_custom_instructions: additional_custom_instructions || null,
      created_by: recordedName(callerOf(ctx)),
      asked_by_user_ids: usersBehind(callerOf(ctx)),
    }
  },
})
