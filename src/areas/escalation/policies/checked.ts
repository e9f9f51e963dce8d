/** The policy that a caller’s fields make, checked against the tenant’s agents, technicians, channels and endpoints. */
import { bodyProblem, invalid } from '../../../errors/errors.ts'
import type { Context } from '../../../gateway/context.ts'
import { seenAgents } from '../../agents/index.ts'
import { techniciansChannels } from '../../channels/index.ts'
import { knownSchedules, presentAmong } from '../../technicians/index.ts'
import { knownEndpoints } from '../../webhooks/index.ts'
import type { Step } from '../rules.ts'
import { numbersOf } from '../targets.ts'
import type { PolicyRow } from './policy.ts'
import { type Content, contentOf, contentProblems, type Given, newTargets, targetProblems } from './rules.ts'

const texts = (ids: Iterable<number | string>): Set<string> => new Set(Array.from(ids, String))

const idsOf = (rows: readonly { id: number | string }[]): Set<string> => texts(rows.map(({ id }) => id))

/** The ids among these that the tenant has, by the kind of target. */
const PRESENT: Readonly<
  Record<Step['target_type'], (ctx: Context, ids: readonly string[]) => Promise<Set<string>>>
> = {
  TECHNICIANS: async (ctx, ids) => idsOf(await presentAmong(ctx, numbersOf(ids))),
  SCHEDULE: async (ctx, ids) => texts(await knownSchedules(ctx, numbersOf(ids))),
  CHANNEL: async (ctx, ids) => idsOf(await techniciansChannels(ctx, ids)),
  WEBHOOK_ENDPOINT: knownEndpoints,
}

const TYPES = Object.keys(PRESENT) as Step['target_type'][]

/** The targets that the tenant does not have. Targets that the stored policy has are not asked for again. */
async function unknownTargets(ctx: Context, steps: readonly Step[], stored: readonly Step[]) {
  const unknown = new Map<Step['target_type'], ReadonlySet<string>>()
  for (const type of TYPES) {
    const ids = newTargets(steps, type, stored)
    if (ids.length > 0) unknown.set(type, new Set(ids).difference(await PRESENT[type](ctx, ids)))
  }
  return unknown
}

/** The content of the policy; 422 with all problems. Steps by mail have a warning while no mail server is configured. */
export async function checkedContent(
  ctx: Context,
  given: Given,
  stored: PolicyRow | null = null,
): Promise<Content> {
  const content = contentOf(given, stored ?? undefined)
  const { agent_ids, steps } = content
  const new_agents = agent_ids.filter((id) => !stored?.agent_ids.includes(id))
  const seen = await seenAgents(ctx, new_agents)
  const of_agents = (given.agent_ids ?? []).flatMap((id, index) =>
    new_agents.includes(id) && !seen.has(id)
      ? [bodyProblem(`agent_ids.${index}`, 'unknown', 'is no agent of the tenant')]
      : [],
  )
  const unknown = await unknownTargets(ctx, steps, stored?.steps ?? [])
  const problems = [
    ...contentProblems(content),
    ...of_agents,
    ...targetProblems(given.steps ? steps : [], unknown),
  ]
  if (problems.length > 0) throw invalid(problems)
  const mails = given.steps && steps.some(({ notify_via }) => notify_via.includes('EMAIL'))
  if (mails && !ctx.services.mail) ctx.warnings.push('email_not_configured: no step mails anybody')
  return content
}
