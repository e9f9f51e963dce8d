/** Bodies that create agents, one for each kind and with every config object, and the facts by which they are valid. */
import { clock } from './app.ts'
import type { Msp } from './world.ts'

export const FACTS = { connected: new Set(['HALO_PSA', 'HUDU']), technicians: new Set([1, 2]) }

const agent_settings = {
  custom_instructions: 'Ask one question at a time.',
  supervised: false,
  supervisor_technician_ids: [],
  max_tool_calls: 50,
  max_minutes: 30,
  confidence_threshold: 0.8,
  estimated_minutes_saved: 6,
  supervision_mode: 'ENFORCED',
}

const integrations = { grants: [{ system: 'HALO_PSA', permission_groups: ['TICKETS'], access: 'WRITE' }] }

const schedule = {
  cron: '0 7 * * 1',
  timezone: 'Europe/London',
  start_at: '2026-12-01T00:00:00.000Z',
  end_at: null,
}

const callback_settings = {
  change_types: ['TICKET_CREATED'],
  ignore_own_changes: true,
  debounce_seconds: 30,
}

const ticket_conditions = {
  match: 'ALL',
  rules: [
    { field: 'board', operator: 'equals', value: 'Service desk' },
    { field: 'age_hours', operator: 'greater_than', value: 4 },
    { field: 'is_vip', operator: 'equals', value: false },
    { field: 'status', operator: 'not_in', value: ['Closed', 'Merged'] },
    { field: 'assignee', operator: 'is_empty' },
  ],
}

const time_entry_conditions = { match: 'ANY', rules: [{ field: 'minutes', operator: 'at_least', value: 1 }] }

export const VALID = {
  AGENTIC: {
    name: 'Triage',
    description: 'Sorts tickets.',
    autonomy_type: 'AGENTIC',
    trigger_type: 'TRIGGERED',
    entity_type: 'TICKET',
    agent_settings,
    toolbox: { tools: ['contact.read', 'memory.search'] },
    integrations,
    schedule,
    callback_settings,
    actions: [{ type: 'ticket.read', params: {} }],
    ticket_conditions,
    time_entry_conditions,
  },
  CHAINED_ACTIONS: {
    name: 'Clean-up',
    autonomy_type: 'CHAINED_ACTIONS',
    trigger_type: 'SCHEDULED',
    entity_type: 'TICKET',
    agent_settings: { ...agent_settings, supervised: true, supervisor_technician_ids: [1] },
    integrations,
    schedule,
    actions: [{ type: 'ticket.close', params: { resolution: 'It has cleared.' } }],
    ticket_conditions,
  },
  CONVERSATIONAL: {
    name: 'Chat',
    autonomy_type: 'CONVERSATIONAL',
    agent_settings,
    toolbox: { tools: ['memory.search'] },
    integrations,
  },
} as const

/** Connects the integration of that name. */
export async function connect({ database, tenant_id, environment }: Msp, name: string): Promise<void> {
  await database.prisma.integrationConnection.create({
    data: { tenant_id, environment, name, connected: true, updated_at: clock.now() },
  })
}
