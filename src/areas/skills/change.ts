/** The changes of skills. A change of the content makes the next version. */
import { scope } from '../../access/policies/policies.ts'
import { callerOf, recordedName } from '../../access/viewer.ts'
import { bodyProblem, invalid } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { builder } from '../../schema/builder.ts'
import { NO_FIELDS } from '../../schema/selection.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { area } from './area.ts'
import { checkedAgents, checkedBundle, MAX_BODY_BYTES, SkillDraft, SkillPatch } from './input.ts'
import { SKILL } from './queries.ts'
import type { SkillRow } from './skill.ts'
import { SOURCE_EXECUTION } from './source.ts'

const skills = onTable(area, SKILL)

const access = scope('skills:write')

export const CHANGEABLE = ['ACTIVE', 'DISABLED'] as const

/** The agent of the execution that a skill is made of; 422 if the caller does not see the execution, or it did not go well. */
async function sourceOf(ctx: Context, execution_id: string | null | undefined) {
  if (!execution_id) return { source_execution_id: null, source_agent_id: null }
  const source_agent_id = await SOURCE_EXECUTION.get()(ctx, execution_id)
  if (source_agent_id !== null) return { source_execution_id: execution_id, source_agent_id }
  const message = 'is no COMPLETED execution that you see'
  throw invalid([bodyProblem('source_execution_id', 'unknown', message)])
}

skills.create('create_skill', {
  description:
    'Creates a skill with its first version: by its files, of which one is `SKILL.md`, or by its instructions alone. Front ' +
    'matter that `SKILL.md` lacks is written from the body. What a read of a skill answers makes an equal skill.',
  rest: { method: 'POST', path: '/skills' },
  access,
  errors: ['secret_in_content'],
  max_body_bytes: MAX_BODY_BYTES,
  input: SkillDraft,
  async values(ctx, { agent_ids, status, source_execution_id, ...sent }) {
    const bundle = checkedBundle(ctx, sent, null)
    return {
      ...bundle,
      files: bundle.files as never,
      assigned_agent_ids: await checkedAgents(ctx, agent_ids ?? []),
      status: status ?? 'ACTIVE',
      ...(await sourceOf(ctx, source_execution_id)),
      created_by_name: recordedName(callerOf(ctx)),
    }
  },
})

/** The agents of the body for the skill; 404 if there is no such skill. */
async function agentsFor(ctx: Context, skill_id: string, given: readonly number[]): Promise<number[]> {
  await SKILL.select(ctx, skill_id, NO_FIELDS)
  return await checkedAgents(ctx, given)
}

/** The agents that the skill has then: those given, and those that the caller does not see. */
const withUnseen = ({ unseen_agent_ids }: SkillRow, given: readonly number[]): number[] =>
  [...new Set([...unseen_agent_ids, ...given])].sort((a, b) => a - b)

skills.change('update_skill', {
  description:
    'Changes a skill. Other files, instructions, tools, another name or description make its next version at once. A skill ' +
    'that is BUILT_IN or ARCHIVED is refused.',
  rest: { method: 'PATCH', path: '/skills/{skill_id}' },
  access,
  errors: ['skill_read_only', 'read_only_field', 'secret_in_content'],
  max_body_bytes: MAX_BODY_BYTES,
  input: SkillPatch,
  async change(ctx, { id, input: { agent_ids, status, slug, ...sent } }) {
    const agents = agent_ids && (await agentsFor(ctx, id, agent_ids))
    return {
      verb: 'updated',
      from: CHANGEABLE,
      decide(skill) {
        if (typeof slug === 'string' && slug !== skill.slug)
          throw invalid([bodyProblem('slug', 'read_only_field', 'cannot be changed')], 'read_only_field')
        const { slug: _, ...content } = checkedBundle(ctx, sent, skill)
        return {
          ...content,
          ...(agents && { assigned_agent_ids: withUnseen(skill, agents) }),
          ...(status && { status }),
        }
      },
    }
  },
})

skills.change('archive_skill', {
  description:
    'Archives a skill. That is final: no run takes it up any more, and its slug is free. Runs that have it go on with it. ' +
    'One that is ARCHIVED already stays as it is; one that is BUILT_IN is refused.',
  rest: { method: 'DELETE', path: '/skills/{skill_id}' },
  access,
  errors: ['skill_read_only'],
  change: () => ({
    verb: 'archived',
    from: [...CHANGEABLE, 'ARCHIVED'],
    to: 'ARCHIVED',
    decide: () => ({ status: 'ARCHIVED' }),
  }),
})

const SkillAgents = builder.inputType('SkillAgents', {
  description: 'The agents that have the skill from now on.',
  fields: (t) => ({
    agent_ids: t.intList({
      required: true,
      min: 1,
      description: 'All of them, of those that the caller sees. Empty: none.',
    }),
  }),
})

skills.change('set_skill_agents', {
  description:
    'Gives a skill to agents, in place of those that have it. Agents that the caller does not see keep it. BUILT_IN skills ' +
    'are given to agents too; one that is ARCHIVED is refused.',
  rest: { method: 'PUT', path: '/skills/{skill_id}/agents' },
  access,
  errors: ['skill_read_only'],
  input: SkillAgents,
  async change(ctx, { id, input: { agent_ids } }) {
    const agents = await agentsFor(ctx, id, agent_ids)
    return {
      verb: 'agents_set',
      from: [...CHANGEABLE, 'BUILT_IN'],
      decide: (skill) => ({ assigned_agent_ids: withUnseen(skill, agents) }),
    }
  },
})
