/** The catalogue of permission groups: the tools of one field of work, and the default of their approval. */

export interface GroupDefinition {
  title: string
  tools: readonly string[]
  /** The value until the tenant decides. */
  requires_approval: boolean
  can_disable_approval: boolean
}

/** By name, in the order of names. */
export const GROUPS = {
  DEVICES: {
    title: 'Devices',
    tools: ['list_devices', 'get_device', 'restart_device', 'run_device_script'],
    requires_approval: true,
    can_disable_approval: true,
  },
  DOCUMENTATION: {
    title: 'Documentation',
    tools: ['search_documents', 'get_document', 'create_document', 'update_document'],
    requires_approval: false,
    can_disable_approval: true,
  },
  IDENTITY: {
    title: 'Identity',
    tools: ['list_identities', 'reset_password', 'unlock_account', 'disable_account', 'add_group_member'],
    requires_approval: true,
    can_disable_approval: false,
  },
  TECHNICIANS: {
    title: 'Technicians',
    tools: ['list_technicians', 'replace_technician_schedule', 'delete_technician'],
    requires_approval: true,
    can_disable_approval: true,
  },
  TICKETS: {
    title: 'Tickets',
    tools: ['get_ticket', 'search_tickets', 'update_ticket', 'assign_ticket', 'add_ticket_note'],
    requires_approval: false,
    can_disable_approval: true,
  },
  TIME_ENTRIES: {
    title: 'Time entries',
    tools: ['list_time_entries', 'create_time_entry', 'update_time_entry'],
    requires_approval: false,
    can_disable_approval: true,
  },
} as const satisfies Record<string, GroupDefinition>

export type GroupName = keyof typeof GROUPS

export const GROUP_NAMES = Object.keys(GROUPS) as GroupName[]

/** The title of each group. */
export const GROUP_TITLES = Object.fromEntries(
  Object.entries(GROUPS).map(([name, { title }]) => [name, title]),
) as Record<GroupName, string>
