import { scope } from '../../../access/policies/policies.ts'
import { db, scoped, sql } from '../../../db/db.ts'
import { ApiError, bodyProblem, invalid } from '../../../errors/errors.ts'
import type { Context, MutationContext } from '../../../gateway/context.ts'
import { onTable } from '../../../schema/tables/operations.ts'
import { area } from '../area.ts'
import { begin } from '../follow.ts'
import { POLICIES, POLICY } from '../queries.ts'
import { checkedContent } from './checked.ts'
import { EscalationPolicyDraft, EscalationPolicyUpdate } from './input.ts'
import { MOST_POLICIES } from './policy.ts'

const readers = scope('escalation:read')
const writers = scope('escalation:write')

const policies = onTable(area, POLICY)

policies.list('escalation_policies', POLICIES, {
  description: 'Lists the escalation policies, the newest first.',
  rest: { method: 'GET', path: '/escalation/policies' },
  access: readers,
})

policies.read('escalation_policy', {
  description: 'Gets an escalation policy.',
  rest: { method: 'GET', path: '/escalation/policies/{policy_id}' },
  access: readers,
})

const UNSET_DEFAULT = scoped(
  'escalation.unset_default',
  `update escalation_policy p set is_default = false, revision = p.revision + 1, updated_at = $3::timestamptz
   where p.tenant_id = $1 and p.environment = $2 and p.is_default`,
)

/** Leaves the place of the default to another policy, which is stored next. */
const unsetDefault = (ctx: MutationContext): Promise<unknown> => sql(ctx, UNSET_DEFAULT, [ctx.now])

// Contract silent: an environment has 50 policies at most, so that finding the one that acts costs little.
/** The number of policies; 422 if there is no place for another one. */
async function countPolicies(ctx: Context): Promise<number> {
  const count = await db(ctx).escalationPolicy.count()
  if (count < MOST_POLICIES) return count
  throw invalid([
    bodyProblem('name', 'limit', `is one too many: an environment has ${MOST_POLICIES} policies`),
  ])
}

policies.create('create_escalation_policy', {
  description:
    'Creates an escalation policy. The first one is the default, which acts on its own triggers where no other policy does. ' +
    'Events from now on open its escalations. An environment has at most 50 policies.',
  rest: { method: 'POST', path: '/escalation/policies' },
  access: writers,
  errors: ['default_policy_required'],
  input: EscalationPolicyDraft,
  async values(ctx, input) {
    await POLICY.serialise(ctx)
    const count = await countPolicies(ctx)
    const content = await checkedContent(ctx, input)
    const is_default = input.is_default === true || count === 0
    if (is_default && !content.enabled) throw new ApiError('default_policy_required')
    if (is_default) await unsetDefault(ctx)
    await begin(ctx)
    return { ...content, ticket_change: content.ticket_change as object, is_default }
  },
})

policies.change('update_escalation_policy', {
  description:
    'Changes an escalation policy. Escalations that are open go on with the steps that they were opened with.',
  rest: { method: 'PUT', path: '/escalation/policies/{policy_id}' },
  access: writers,
  errors: ['default_policy_required'],
  input: EscalationPolicyUpdate,
  async change(ctx, { input, id }) {
    const content = await checkedContent(ctx, input, await POLICY.lock(ctx, id))
    const becomes_default = input.is_default === true
    return {
      verb: 'updated',
      decide(policy) {
        const is_default = policy.is_default || becomes_default
        if (is_default && (!content.enabled || input.is_default === false))
          throw new ApiError('default_policy_required')
        return { ...content, is_default }
      },
      ...(becomes_default && {
        beforeWrite: async (policy) => {
          if (!policy.is_default) await unsetDefault(ctx)
        },
      }),
    }
  },
})

policies.remove('delete_escalation_policy', {
  description:
    'Deletes an escalation policy, and answers with it. Escalations that it opened stay, and go on with their steps.',
  rest: { method: 'DELETE', path: '/escalation/policies/{policy_id}' },
  access: writers,
  errors: ['default_policy_required'],
  removal: () => ({
    check({ is_default }) {
      if (is_default) throw new ApiError('default_policy_required')
    },
  }),
})
