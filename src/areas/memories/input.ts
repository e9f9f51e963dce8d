/** The fields of a memory that callers give, and the checks that need more than their bounds. */
import { type FieldError, invalid } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { seenAgents } from '../agents/index.ts'
import { MemoryCategory, type MemoryRow } from './memory.ts'
import { agentIds, agentProblems, audienceProblems } from './rules.ts'

export const content = {
  min_length: 1,
  max_length: 4000,
  description: 'The memory in words. It holds no secret.',
} as const

export const evidence = {
  max_length: 4000,
  nullable: true,
  description: 'The facts that the memory rests on. null or empty: none are given.',
} as const

export const category = { type: MemoryCategory, description: 'The sort of knowledge.' } as const

export const audiences = {
  min_items: 1,
  description: 'The readers that the memory is for. ALL stands alone.',
} as const

export const confidence = { min: 0, max: 1, description: 'The trust in the memory.' } as const

export const restrictedTo = {
  pattern: { matches: /^\d{1,10}$/, expected: 'the id of an agent' },
  description:
    'The ids of the agents that use the memory, of those that the caller sees. Empty: every agent does.',
} as const

type Audience = MemoryRow['audiences'][number]

interface Readers {
  audiences?: readonly Audience[] | null | undefined
  restricted_to_agent_ids?: readonly string[] | null | undefined
}

interface Judged {
  /** Problems that are answered with those found here. */
  problems?: readonly FieldError[]
  /** The agents that the memory has already, whether the caller sees them or not. */
  known?: readonly number[]
}

/** The readers and agents of a memory, as they are stored; 422 with all problems. */
export async function checkedReaders(
  ctx: Context,
  { audiences: readers, restricted_to_agent_ids }: Readers,
  { problems = [], known = [] }: Judged = {},
): Promise<{ audiences?: Audience[]; restricted_agent_ids?: number[] }> {
  const ids = restricted_to_agent_ids ? agentIds(restricted_to_agent_ids) : null
  const found = [
    ...problems,
    ...audienceProblems(readers ?? []),
    ...(ids ? agentProblems(ids, new Set([...known, ...(await seenAgents(ctx, ids))])) : []),
  ]
  if (found.length > 0) throw invalid(found)
  return {
    ...(readers && { audiences: [...new Set(readers)] }),
    ...(ids && { restricted_agent_ids: [...new Set(ids)] }),
  }
}
