/** The catalogue of permission groups: the tools of one field of work, and the default of their approval. */
import { toolsOf } from '../../tools/registry.ts'
import { PERMISSION_GROUPS, type PermissionGroup } from '../../tools/tool.ts'

export interface GroupDefinition {
  title: string
  tools: readonly string[]
  /** The value until the tenant decides. */
  requires_approval: boolean
  can_disable_approval: boolean
}

export type GroupName = PermissionGroup

/** By name, in the order of names. */
export const GROUP_NAMES = PERMISSION_GROUPS

const ASKS_FIRST = { requires_approval: true, can_disable_approval: true }
const ALWAYS_ASKS = { requires_approval: true, can_disable_approval: false }
const ASKS_IF_TOLD = { requires_approval: false, can_disable_approval: true }

export const GROUPS: Readonly<Record<GroupName, GroupDefinition>> = {
  DEVICES: { title: 'Devices', tools: toolsOf('DEVICES'), ...ASKS_FIRST },
  DOCUMENTATION: { title: 'Documentation', tools: toolsOf('DOCUMENTATION'), ...ASKS_IF_TOLD },
  IDENTITY: { title: 'Identity', tools: toolsOf('IDENTITY'), ...ALWAYS_ASKS },
  TECHNICIANS: { title: 'Technicians', tools: toolsOf('TECHNICIANS'), ...ASKS_FIRST },
  TICKETS: { title: 'Tickets', tools: toolsOf('TICKETS'), ...ASKS_IF_TOLD },
  TIME_ENTRIES: { title: 'Time entries', tools: toolsOf('TIME_ENTRIES'), ...ASKS_IF_TOLD },
}

/** The title of each group. */
export const GROUP_TITLES = Object.fromEntries(
  Object.entries(GROUPS).map(([name, { title }]) => [name, title]),
) as Record<GroupName, string>
