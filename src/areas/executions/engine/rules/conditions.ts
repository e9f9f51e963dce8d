/** Executions that are run only while the conditions of their agent hold. */

interface Accepted {
  status: string
  trigger: string
}

// Contract silent: a caller who asks for a run, or schedules or repeats one for a ticket, wants it whatever the conditions say.
/** True for one that has not begun, and that a change in the PSA or the agent's schedule started. */
export const isConditional = ({ status, trigger }: Accepted): boolean =>
  status === 'NEW' && (trigger === 'TRIGGERED' || trigger === 'SCHEDULED')
