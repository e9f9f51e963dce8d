/** A call of every mutation, in an order in which each finds what it changes. */
import { type Calls, from } from './call.ts'

const grant = (system: string, access: 'READ' | 'WRITE', ...permission_groups: string[]) => ({
  system,
  permission_groups,
  access,
})

const PRINTERS = {
  name: 'Printer tickets',
  description: 'Finds out which printer a ticket is about, and what was tried already.',
  autonomy_type: 'AGENTIC',
  trigger_type: 'TRIGGERED',
  entity_type: 'TICKET',
  agent_settings: {
    custom_instructions: 'Ask which printer it is. Ask one question at a time.',
    max_minutes: 30,
    estimated_minutes_saved: 8,
  },
  toolbox: { tools: ['contact.read', 'memory.search'] },
  integrations: { grants: [grant('HALO_PSA', 'WRITE', 'TICKETS'), grant('HUDU', 'READ', 'DOCUMENTATION')] },
  callback_settings: { change_types: ['TICKET_CREATED'], debounce_seconds: 30 },
  ticket_conditions: {
    match: 'ALL',
    rules: [
      { field: 'board', operator: 'equals', value: 'Service desk' },
      { field: 'subject', operator: 'contains', value: 'printer' },
    ],
  },
}

const REMINDERS = {
  name: 'Monday tidy-up',
  autonomy_type: 'CHAINED_ACTIONS',
  trigger_type: 'SCHEDULED',
  entity_type: 'TICKET',
  agent_settings: { custom_instructions: '', max_minutes: 20 },
  integrations: { grants: [grant('HALO_PSA', 'WRITE', 'TICKETS')] },
  schedule: { cron: '0 7 * * 1', timezone: 'Europe/London' },
  actions: [
    { type: 'ticket.read', params: {} },
    { type: 'ticket.close', params: { resolution: 'Nobody has answered for thirty days.' } },
  ],
  ticket_conditions: { rules: [{ field: 'age_hours', operator: 'greater_than', value: 720 }] },
}

const RECEPTION = {
  name: 'Reception chat',
  description: 'Answers the questions of technicians who are with a customer.',
  autonomy_type: 'CONVERSATIONAL',
  agent_settings: { custom_instructions: 'Name the document that an answer is from.' },
  toolbox: { tools: ['company.search', 'memory.search'] },
  integrations: { grants: [grant('HUDU', 'READ', 'DOCUMENTATION')] },
}

const weekdays = (start_time: string, end_time: string, ...days: string[]) =>
  days.map((day) => ({ day, start_time, end_time }))

const choice = (field_name: string, names: Readonly<Record<number, string>>) => ({
  field_name,
  selected_options: Object.entries(names).map(([id, name]) => ({ id: Number(id), name })),
})

const memory_id = from('memories', 'id')
const entry_id = from('scheduled_work', 'id')

/** Calls whose body is one of several kinds, by operation and kind. */
export const KINDS: Readonly<Record<string, Calls>> = {
  create_agent: {
    AGENTIC: { input: PRINTERS },
    CHAINED_ACTIONS: { input: REMINDERS },
    CONVERSATIONAL: { input: RECEPTION },
  },
  // The first two have warnings; the last one would be refused.
  validate_agent: {
    AGENTIC: { input: { ...PRINTERS, toolbox: { tools: ['contact.read', 'run.wait'] } } },
    CHAINED_ACTIONS: { input: { ...REMINDERS, toolbox: { tools: ['memory.search'] } } },
    CONVERSATIONAL: { input: { ...RECEPTION, toolbox: { tools: ['company.search', 'memory.forget'] } } },
  },
}

export const WRITES: Calls = {
  replace_agent: {
    agent_id: 1,
    input: {
      description: 'Gives every new ticket a type, a priority and a team.',
      toolbox: { tools: ['contact.read', 'memory.search'] },
      ticket_conditions: PRINTERS.ticket_conditions,
    },
  },
  update_agent: { agent_id: 2, input: { agent_settings_edits: { max_minutes: 90 } } },
  pause_agent: { agent_id: 2 },
  activate_agent: { agent_id: 3 },
  archive_agent: { agent_id: 7 },
  restore_agent_revision: { agent_id: 5, revision: 1 },
  run_agent_now: { agent_id: 4, input: { entity_id: from('executions', 'entity_id') } },
  cancel_execution: {
    execution_id: from('run_agent_now', 'execution_id'),
    input: { reason: 'The customer solved it.' },
  },
  retry_execution: { execution_id: from('cancel_execution', 'execution_id') },
  reprocess_callback: { callback_id: from('callbacks', 'id') },
  test_callback_match: {
    input: { entity_id: from('executions', 'entity_id'), change_types: ['TICKET_CREATED'] },
  },
  set_agent_shares: {
    agent_id: 5,
    input: {
      shares: [
        { user_id: 'usr_user', can_edit: true },
        { user_id: 'usr_viewer', can_edit: false },
      ],
    },
  },
  create_api_key: {
    input: {
      name: 'Backup reports',
      description: 'Opens a ticket for each backup that failed.',
      scopes: ['agents:run', 'executions:read'],
      expires_in_days: 90,
      allowed_cidrs: ['203.0.113.0/24'],
    },
  },
  update_api_key: { key_id: 'key_reporting', input: { description: 'Figures for the monthly reports.' } },
  rotate_api_key: { key_id: 'key_spare' },
  revoke_api_key: { key_id: 'key_partner', input: { reason: 'The contract has ended.' } },
  update_billing_alerts: { input: { thresholds_pct: [75, 90, 100] } },
  create_channel: {
    input: {
      name: 'Field engineers',
      agent_id: 6,
      transport: 'SLACK',
      audience: 'TECHNICIANS',
      workspace_id: 'T04FIELD',
      workspace_name: 'Harbourline Field',
      branding: { display_name: 'Desk' },
    },
  },
  update_channel: { channel_id: 'chn_hotels', input: { tickets_tab_enabled: true } },
  post_channel_message: {
    channel_id: 'chn_help',
    input: {
      conversation_id: '19:7f1c_helpdesk@unq.gbl.spaces',
      sender: { end_user_id: from('end_users', 'id') },
      text: 'Is there anything known about the printer on the second floor?',
    },
  },
  pause_channel: { channel_id: 'chn_desk' },
  resume_channel: { channel_id: 'chn_site' },
  test_channel: { channel_id: 'chn_projects' },
  delete_channel: { channel_id: 'chn_dental' },
  replace_company_filters: {
    input: {
      filters: [
        choice('classification', { 11: 'Managed', 12: 'Break-fix' }),
        choice('status', { 31: 'Active' }),
      ],
    },
  },
  remove_unmatched_companies: { input: { psa_company_ids: ['1104'], expected_count: 1 } },
  map_company_link: {
    input: {
      system: 'NINJAONE',
      external_id: from('company_links', 'external_id'),
      psa_company_id: '1041',
      is_primary: true,
    },
  },
  confirm_company_links: {
    input: { system: 'NINJAONE', external_ids: [from('company_links', 'external_id', 1)] },
  },
  map_workplace_tenant: {
    end_company_id: 'cmp_brightwater_dental_group',
    input: { workplace_tenant_id: '5b0f9d1e-2c34-4a7b-8e6d-1f2a3b4c5d6e' },
  },
  unmap_workplace_tenant: { end_company_id: 'cmp_anglia_crop_sciences' },
  request_integration: {
    input: {
      vendor_name: 'Acme Backup',
      use_case: 'Read the results of last night’s backups before a ticket is answered.',
      docs_url: 'https://docs.acme-backup.example/api',
      access: 'READ_ONLY',
      can_share_test_key: true,
    },
  },
  sync_integration: { name: 'halo-psa', input: { is_full: true } },
  put_integration_customers: {
    name: 'sophos-central',
    input: {
      customers: [
        { external_id: 'b7c1', name: 'Brightwater Dental', domains: ['brightwater.example'] },
        { external_id: 'd2f8', name: 'Anglia Crop Sciences', asset_names: ['ACS-LT-014', 'ACS-SRV-01'] },
      ],
    },
  },
  cancel_integration_sync: { name: 'halo-psa', sync_id: from('sync_integration', 'id') },
  create_memory: {
    input: {
      content: 'The reception of Alder & Finch is closed on Friday afternoons.',
      category: 'SEMANTIC',
      scope_type: 'CLIENT',
      scope_id: '1041',
      audiences: ['TECHNICIANS'],
      evidence: 'Said on the phone by the office manager.',
    },
  },
  update_memory: { memory_id: from('memories', 'id', 1), input: { audiences: ['TECHNICIANS', 'DISPATCH'] } },
  confirm_memory: { memory_id },
  pin_memory: { memory_id },
  unpin_memory: { memory_id },
  delete_memory: { memory_id },
  restore_memory: { memory_id },
  create_scheduled_work: {
    input: {
      workflow_id: 1,
      ticket_id: from('executions', 'entity_id'),
      scheduled_for: '2026-11-23T09:00:00.000Z',
      additional_custom_instructions: 'Look again once the vendor has answered.',
    },
  },
  reschedule_work: { entry_id, input: { scheduled_for: '2026-11-23T10:30:00.000Z' } },
  cancel_scheduled_work: {
    entry_id: from('scheduled_work', 'id', 1),
    input: { reason: 'The customer solved it.' },
  },
  update_settings: { input: { end_business_hours: 19, timezone: 'Europe/London' } },
  create_technician_schedule: {
    input: {
      name: 'Early shift',
      timezone: 'Europe/London',
      windows: weekdays('06:00', '14:00', 'MONDAY', 'TUESDAY'),
    },
  },
  replace_technician_schedule: {
    schedule_id: 2,
    input: {
      name: 'Late shift',
      timezone: 'Europe/London',
      windows: weekdays('12:00', '20:30', 'THURSDAY', 'FRIDAY'),
    },
  },
  assign_schedule_technicians: { schedule_id: 3, input: { technician_ids: [2, 5] } },
  delete_technician_schedule: { schedule_id: from('create_technician_schedule', 'id') },
  create_technician: { input: { psa_id: 213 } },
  update_technician: {
    profile_id: 4,
    input: { custom_instructions: 'Not before 09:00.', skills: ['Onboarding', 'Printers'] },
  },
  delete_technician: { profile_id: 10 },
  update_permission_group: {
    name: 'DEVICES',
    input: { requires_approval: true, approver_technician_ids: [1, 3] },
  },
  set_user_role: { user_id: 'usr_accounts', input: { role: 'USER' } },
  link_user_technician: { user_id: 'usr_accounts', input: { technician_id: 5 } },
  reassign_til_request: {
    til_request_id: from('til_requests', 'id', 2),
    input: { technician_ids: [1, 2], comment: 'Gareth knows both of them.' },
  },
  approve_til_request: {
    til_request_id: from('til_requests', 'id', 1),
    input: {
      comment: 'She called the desk from her own phone.',
      arguments_hash: from('til_requests', 'arguments_hash', 1),
    },
  },
  reject_til_request: {
    til_request_id: from('til_requests', 'id', 3),
    input: { comment: 'This is the account of a colleague with the same name.', reason_code: 'WRONG_TARGET' },
  },
  answer_til_request: { til_request_id: from('til_requests', 'id', 2), input: { option_id: 'sales' } },
  connect_integration: {
    name: 'connectwise-psa',
    input: {
      connectwise_psa: {
        site: 'https://api-eu.myconnectwise.net',
        company: 'harbourline',
        client_id: 'd3c5b2a1-0000-4000-8000-000000000000',
        public_key: 'the-public-key',
        private_key: 'the-private-key',
      },
    },
  },
  test_integration: { name: 'connectwise-psa' },
  disconnect_integration: { name: 'connectwise-psa' },
}
