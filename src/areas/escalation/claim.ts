/** Taking an escalation over, and resolving it. */
import { refusal } from '../../access/policies/authorize.ts'
import { scope } from '../../access/policies/policies.ts'
import { callerOf, personIdOf, recordedName } from '../../access/viewer.ts'
import { select } from '../../db/query/fragment.ts'
import { ApiError } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { refuseSecrets } from '../../gateway/refuse-secrets.ts'
import { builder } from '../../schema/builder.ts'
import { NO_FIELDS } from '../../schema/selection.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { area } from './area.ts'
import { ESCALATION } from './queries.ts'
import { hasTold } from './told.ts'

const readers = scope('escalation:read')
const writers = scope('escalation:write')

const IS_NAMED = `select from escalation_event v
  where v.tenant_id = $1 and v.environment = $2 and v.id = $id::text and ${hasTold('v.id', '$person::text')}`

// Contract silent: a key reads what it acknowledges, so that escalation:write is not enough without escalation:read.
/** 403 for a caller who may not write and was not told of the escalation by name; 404 if the caller does not see it. */
async function checkMayAct(ctx: Context, id: string): Promise<void> {
  const viewer = callerOf(ctx)
  const refused = refusal(writers, viewer)
  if (!refused) return
  const person = personIdOf(viewer)
  const named = await select(ctx, 'escalation.is_named', { text: IS_NAMED }, { id, person })
  if (named.length > 0) return
  await ESCALATION.select(ctx, id, NO_FIELDS)
  throw refused
}

const escalations = onTable(area, ESCALATION)

escalations.change('acknowledge_escalation', {
  description:
    'Takes an escalation over: its steps stop. The first caller has it; another one is refused with `already_acknowledged` and ' +
    'the name of the first. Whoever was told of it by name may, and callers with escalation:write. A key without an acting ' +
    'user is a person of its own.',
  rest: { method: 'POST', path: '/escalation/events/{event_id}/acknowledge' },
  access: readers,
  errors: ['already_acknowledged', 'escalation_event_closed'],
  async change(ctx, { id }) {
    await checkMayAct(ctx, id)
    const viewer = callerOf(ctx)
    const acknowledged_by_id = personIdOf(viewer) ?? viewer.id
    return {
      verb: 'acknowledged',
      from: ['OPEN', 'ACKNOWLEDGED'],
      decide(escalation) {
        if (escalation.status === 'OPEN')
          return {
            status: 'ACKNOWLEDGED',
            next_step_at: null,
            acknowledged_by_id,
            acknowledged_by_name: recordedName(viewer),
            acknowledged_at: ctx.now,
          }
        if (escalation.acknowledged_by_id === acknowledged_by_id) return {}
        const { acknowledged_by_name, acknowledged_at } = escalation
        throw new ApiError('already_acknowledged', {
          details: {
            acknowledged_by_name: acknowledged_by_name ?? '',
            acknowledged_at: acknowledged_at ?? ctx.now,
          },
        })
      },
    }
  },
})

const EscalationResolution = builder.inputType('EscalationResolution', {
  description: 'The end of an escalation.',
  fields: (t) => ({
    comment: t.string({
      max_length: 2000,
      nullable: true,
      description: 'The result in words. null or empty: none is given. It holds no secret.',
    }),
  }),
})

escalations.change('resolve_escalation', {
  description:
    'Resolves an escalation, also one that another person has taken over: its steps stop. Whoever was told of it by name may, ' +
    'and callers with escalation:write.',
  rest: { method: 'POST', path: '/escalation/events/{event_id}/resolve' },
  access: readers,
  errors: ['escalation_event_closed', 'secret_in_content'],
  input: EscalationResolution,
  input_required: false,
  async change(ctx, { id, input }) {
    await checkMayAct(ctx, id)
    const comment = input?.comment || null
    refuseSecrets({ comment })
    return {
      verb: 'resolved',
      from: ['OPEN', 'ACKNOWLEDGED'],
      to: 'RESOLVED',
      decide: () => ({
        status: 'RESOLVED',
        next_step_at: null,
        resolved_by_name: recordedName(callerOf(ctx)),
        resolved_at: ctx.now,
        comment,
      }),
    }
  },
})
