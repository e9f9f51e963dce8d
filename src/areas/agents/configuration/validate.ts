/** The operation that validates a body without storing it. */
import { scope } from '../../../access/policies/policies.ts'
import type { Context } from '../../../gateway/context.ts'
import { builder } from '../../../schema/builder.ts'
import { unchanged } from '../../../schema/changes/mutation.ts'
import { area } from '../area.ts'
import { checkChangeable, lockEditableAgent } from '../resource.ts'
import { AgentCandidate } from './input.ts'
import { VALIDATE_RULES, VALIDATOR } from './published-rules.ts'
import type { FieldProblem } from './rules/schema-problems.ts'
import type { Body, ValidationResult } from './rules/validator.ts'
import { bodyOf, factsOf, MAX_BODY_BYTES, MAX_PROBLEMS, toDraft } from './validation.ts'

interface Validation extends Omit<ValidationResult, 'problems' | 'fields'> {
  valid: boolean
  field_errors: FieldProblem[]
  would_write: object | null
}

const AgentProblem = builder.objectRef<FieldProblem>('AgentProblem').implement({
  description: 'A problem with the body of an agent write.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'The path of the field.' }),
    code: t.exposeString('code', { description: 'The code of a rule.' }),
    message: t.exposeString('message', { description: 'The problem in words.' }),
    depth: t.int({
      nullable: true,
      description: 'The depth of a config object inside another one.',
      resolve: ({ depth }) => depth,
    }),
  }),
})

const AgentValidation = builder.objectRef<Validation>('AgentValidation').implement({
  description: 'The validation of a body that is not stored.',
  fields: (t) => ({
    valid: t.exposeBoolean('valid', { description: 'True if the write would succeed.' }),
    field_errors: t.field({
      type: [AgentProblem],
      max_items: 1000,
      description: 'All problems with the body.',
      resolve: ({ field_errors }) => field_errors,
    }),
    warnings: t.stringList({
      description: 'The warnings that it would have.',
      resolve: ({ warnings }) => warnings,
    }),
    would_write: t.expose('would_write', {
      type: 'JSON',
      nullable: true,
      description: 'The fields as they would be stored: all of a new agent, the changed ones of another.',
    }),
  }),
})

/** Validates the body as a create, or as a change of the agent. */
async function validated(ctx: Context, agent_id: number | null, body: Body): Promise<ValidationResult> {
  if (agent_id === null) {
    const { fields, ...draft } = VALIDATOR.draft(body, await factsOf(ctx, body))
    return { ...draft, fields: toDraft(fields) }
  }
  const agent = await lockEditableAgent(ctx, agent_id)
  checkChangeable(agent)
  return VALIDATOR.patch({ ...agent }, body, await factsOf(ctx, body))
}

area.mutation('validate_agent', (t) =>
  t.field({
    type: AgentValidation,
    description:
      'Validates the body of a create, or with `agent_id` of a change of that agent, and stores nothing. A body that ' +
      'would be refused is answered with 200, `valid` false and the problems. An ARCHIVED agent cannot be changed.',
    rest: { method: 'POST', path: '/agents/validate' },
    access: scope('agents:write'),
    errors: ['agent_not_found', 'agent_not_active'],
    max_body_bytes: MAX_BODY_BYTES,
    args: {
      agent_id: t.arg({ type: 'Int', min: 1, description: 'The agent that would be changed, by its `id`.' }),
      input: t.arg({ type: AgentCandidate, required: true, own_rules: VALIDATE_RULES }),
    },
    resolve: async (_root, { agent_id, input }, ctx) => {
      const { problems, warnings, fields } = await validated(ctx, agent_id ?? null, bodyOf(ctx, input))
      const valid = problems.length === 0
      const field_errors = problems.slice(0, MAX_PROBLEMS)
      return unchanged(ctx, { valid, field_errors, warnings, would_write: valid ? fields : null })
    },
  }),
)
