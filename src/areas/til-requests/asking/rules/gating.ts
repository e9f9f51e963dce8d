/** The rules by which a tool call of a run waits for technicians. */
import { isObject } from '../../../../lib/is-object.ts'
import type { Tool } from '../../../../tools/tool.ts'
import type { AskedOf } from '../../rules.ts'

/** The terms of a permission group. `decided`: the tenant has set them, else they are those of the catalogue. */
export interface GroupTerms {
  requires_approval: boolean
  decided: boolean
}

type Called = Pick<Tool, 'access' | 'grant' | 'requires_approval' | 'second_person'>

/** True for a tool that changes something outside the run itself. */
export const isChange = ({ access, grant }: Called): boolean => access === 'WRITE' && grant !== 'RUNTIME_ONLY'

/** True if a technician approves each call of the tool, also in a run that is not supervised. */
export function needsApproval(tool: Called, group: GroupTerms | null): boolean {
  if (!isChange(tool)) return false
  if (tool.second_person === 'ALWAYS') return true
  if (!group) return tool.requires_approval
  return group.requires_approval || (tool.requires_approval && !group.decided)
}

interface Circumstances {
  supervised: boolean
  /** Nothing is written: the agent is supervised in shadow mode. */
  shadow: boolean
  group: GroupTerms | null
  /** The call asks for more than the company of the work. */
  beyond: boolean
}

// Contract silent: a supervised run asks nobody whether it may ask a person.
/**
 * Those whose approval the call needs. Supervision adds its own to that of the approvers, who decide whatever is gated.
 */
export function approvalsOf(tool: Called, { supervised, shadow, group, beyond }: Circumstances): AskedOf[] {
  if (!isChange(tool)) return []
  const gated = beyond || needsApproval(tool, group)
  const watched = supervised && tool.grant !== 'OWN_RULE'
  return [
    ...(gated ? (['APPROVERS'] as const) : []),
    ...(watched || (shadow && !gated) ? (['SUPERVISORS'] as const) : []),
  ]
}

// Contract silent: a request that no technician decided in time counts as rejected.
const REFUSED = ['REJECTED', 'EXPIRED', 'CANCELLED']

/** The meaning of the request’s status for the call that waited. ASK: technicians are asked again. */
export function verdictOf(status: string): 'WAIT' | 'CONTINUE' | 'REFUSED' | 'ASK' {
  if (status === 'PENDING') return 'WAIT'
  if (status === 'APPROVED' || status === 'ANSWERED') return 'CONTINUE'
  return REFUSED.includes(status) ? 'REFUSED' : 'ASK'
}

// Contract silent: an agent in shadow mode writes nothing, supervised or not.
export const isShadow = (agent_settings: unknown): boolean =>
  isObject(agent_settings) && agent_settings.supervision_mode === 'SHADOW'

const DEFAULT_MINUTES = 72 * 60

/** The minutes in which technicians decide what the agent asks. */
export function minutesToDecide(agent_settings: unknown): number {
  const minutes = isObject(agent_settings) ? agent_settings.approval_minutes : null
  return typeof minutes === 'number' ? minutes : DEFAULT_MINUTES
}
