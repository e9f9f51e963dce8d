/** Validates bodies and stored agents with the data of the tenant. */
import { ApiError, type FieldError } from '../../../errors/errors.ts'
import type { Context } from '../../../gateway/context.ts'
import { connectedSystems } from '../../integrations/index.ts'
import { technicianIds } from '../../technicians/index.ts'
import type { Configuration } from '../resource.ts'
import { configurationIn } from '../rules.ts'
import { VALIDATOR } from './published-rules.ts'
import type { FieldProblem } from './rules/schema-problems.ts'
import type { Body, ValidationResult } from './rules/validator.ts'
import { type Facts, technicianIdsIn } from './rules/whole-agent.ts'

/** Instructions of 20,000 characters are 80 kB at most; the rest is conditions and actions. */
export const MAX_BODY_BYTES = 2 * 1024 * 1024

/** The body as it was sent over REST; in GraphQL the input, as JSON. */
export const bodyOf = ({ sent_body }: Context, input: object): Body =>
  sent_body ?? JSON.parse(JSON.stringify(input))

/** The technicians of the tenant, among those that the body names. */
export async function techniciansIn(ctx: Context, body: Body): Promise<Set<number>> {
  const named = technicianIdsIn(body)
  return named.length > 0 ? await technicianIds(ctx, named) : new Set()
}

export async function factsOf(ctx: Context, body: Body): Promise<Facts> {
  const [connected, technicians] = await Promise.all([connectedSystems(ctx), techniciansIn(ctx, body)])
  return { connected, technicians }
}

export const MAX_PROBLEMS = 200

const fieldError = (problem: FieldProblem): FieldError => ({ location: 'body', ...problem })

/** The fields of a valid body; 400 with all problems of another. */
export function validFields(
  ctx: Context,
  { problems, warnings, fields }: ValidationResult,
): Record<string, unknown> {
  const [first] = problems
  if (first) {
    throw new ApiError('validation_error', {
      message: `${first.field}: ${first.message}`,
      details: { field_errors: problems.slice(0, MAX_PROBLEMS).map(fieldError) },
    })
  }
  ctx.warnings.push(...warnings)
  return fields
}

/** The fields of a new agent. */
export function toDraft({ activate, ...fields }: Record<string, unknown>) {
  const state = activate === true ? ('ACTIVE' as const) : ('DRAFT' as const)
  return { ...(fields as Configuration), state }
}

/** The check of a whole agent, as it is or as it would be: it throws 400 if a rule is broken, and tells the warnings. */
export async function prepareValidation(ctx: Context, agent: Partial<Configuration>): Promise<() => void> {
  const {
    supervised: _,
    supervisor_technician_ids: __,
    agent_settings_edits: ___,
    ...body
  } = configurationIn(agent)
  const facts = await factsOf(ctx, body)
  return () => void validFields(ctx, VALIDATOR.draft(body, facts))
}
