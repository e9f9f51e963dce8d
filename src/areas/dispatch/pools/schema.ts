import { scope } from '../../../access/policies/policies.ts'
import { db } from '../../../db/db.ts'
import { bodyProblem, invalid } from '../../../errors/errors.ts'
import type { Context } from '../../../gateway/context.ts'
import { onTable } from '../../../schema/tables/operations.ts'
import { area } from '../area.ts'
import { checkedContent } from './checked.ts'
import { DispatchRuleDraft, DispatchRuleUpdate } from './input.ts'
import { RULE, RULES } from './queries.ts'

const readers = scope('dispatch:read')
const writers = scope('dispatch:write')

/** The most rules of an environment. */
const MOST_RULES = 100

const rules = onTable(area, RULE)

rules.list('dispatch_rules', RULES, {
  description:
    'Lists the rules of dispatch in the order in which they are tried: by `position`, then by `id`.',
  rest: { method: 'GET', path: '/dispatch/rules' },
  access: readers,
})

rules.read('dispatch_rule', {
  description: 'Gets a rule of dispatch.',
  rest: { method: 'GET', path: '/dispatch/rules/{rule_id}' },
  access: readers,
})

// Contract silent: an environment has 100 rules at most, so that finding the one that holds costs little.
/** 422 if there is no place for another rule. */
async function checkPlace(ctx: Context): Promise<void> {
  if ((await db(ctx).dispatchRule.count()) < MOST_RULES) return
  throw invalid([bodyProblem('name', 'limit', `is one too many: an environment has ${MOST_RULES} rules`)])
}

rules.create('create_dispatch_rule', {
  description:
    'Creates a rule of dispatch. The first enabled rule whose conditions hold gives the pool of technicians for a ticket; without ' +
    'one, all technicians are candidates. An environment has at most 100 rules.',
  rest: { method: 'POST', path: '/dispatch/rules' },
  access: writers,
  input: DispatchRuleDraft,
  async values(ctx, input) {
    await RULE.serialise(ctx)
    await checkPlace(ctx)
    const content = await checkedContent(ctx, input)
    return { ...content, conditions: content.conditions as object }
  },
})

rules.change('update_dispatch_rule', {
  description: 'Changes a rule of dispatch. Decisions that were made by it stay as they are.',
  rest: { method: 'PUT', path: '/dispatch/rules/{rule_id}' },
  access: writers,
  input: DispatchRuleUpdate,
  async change(ctx, { input, id }) {
    const content = await checkedContent(ctx, input, await RULE.lock(ctx, id))
    return { verb: 'updated', decide: () => content }
  },
})

rules.remove('delete_dispatch_rule', {
  description: 'Deletes a rule of dispatch, and answers with it. Decisions that were made by it stay.',
  rest: { method: 'DELETE', path: '/dispatch/rules/{rule_id}' },
  access: writers,
})
