/** The fields of an entry that callers give. */

export const scheduledFor = {
  type: 'DateTime',
  description: 'The time from which the agent may run: at least 60 seconds and at most 365 days from now.',
} as const

export const instructions = {
  max_length: 4000,
  nullable: true,
  description: 'The instructions for this run beyond the agent’s own. null or empty: none.',
} as const
