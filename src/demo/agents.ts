/** The agents of the demo MSP: every kind, in every state, by different people, some of them shared. */
import type { ChangeType } from '../areas/change-types/catalogue.ts'
import type { GroupName } from '../areas/tenant/permission-group-catalogue.ts'
import type { Prisma } from '../db/generated/client/client.ts'
import type { ToolName } from '../tools/registry.ts'
import type { Seeding } from './seeding.ts'
import { PEOPLE } from './tenant.ts'

interface Draft
  extends Omit<Prisma.AgentCreateManyInput, 'tenant_id' | 'environment' | 'id' | 'created_by_name'> {
  /** The creator: the id of a user, or the name of a user who was deleted. */
  by: string
  shared_with: readonly string[]
  /** The PSA ids of the technicians who approve. */
  supervisors: readonly number[]
}

type Age = Pick<Draft, 'created_at' | 'updated_at'>

const settings = (custom_instructions: string, rest: object = {}) => ({
  custom_instructions,
  supervised: false,
  supervisor_technician_ids: [],
  max_tool_calls: 100,
  max_minutes: 60,
  approval_minutes: 4320,
  confidence_threshold: 0.7,
  estimated_minutes_saved: 8,
  supervision_mode: 'ENFORCED',
  ...rest,
})

const rule = (field: string, operator: string, value: string | number) => ({ field, operator, value })
const grant = (system: string, access: 'READ' | 'WRITE', ...permission_groups: GroupName[]) => ({
  system,
  permission_groups,
  access,
})
const toolbox = (...tools: ToolName[]) => ({ tools })
const action = (type: ToolName, params: object = {}) => ({ type, params })
const callbacks = (debounce_seconds: number, ...change_types: ChangeType[]) => ({
  change_types,
  ignore_own_changes: true,
  debounce_seconds,
})

const triage = (age: Age): Draft => ({
  ...age,
  name: 'Ticket triage',
  description: 'Gives every new ticket a type, a priority and a team, and asks for what is missing.',
  state: 'ACTIVE',
  autonomy_type: 'AGENTIC',
  trigger_type: 'TRIGGERED',
  entity_type: 'TICKET',
  agent_settings: settings('Never change the priority of a VIP’s ticket. Ask one question at a time.', {
    confidence_threshold: 0.8,
    estimated_minutes_saved: 6,
  }),
  agent_settings_edits: { confidence_threshold: 0.8 },
  toolbox: toolbox('company.read', 'contact.read', 'memory.save', 'memory.search'),
  integrations: { grants: [grant('HALO_PSA', 'WRITE', 'TICKETS'), grant('HUDU', 'READ', 'DOCUMENTATION')] },
  callback_settings: callbacks(30, 'TICKET_CREATED', 'TICKET_CUSTOMER_REPLIED'),
  ticket_conditions: {
    match: 'ALL',
    rules: [rule('board', 'equals', 'Service desk'), rule('status', 'not_equals', 'Closed')],
  },
  revision: 14,
  by: 'usr_admin',
  shared_with: ['usr_user', 'usr_viewer', 'usr_okafor'],
  supervisors: [],
})

const passwords = (age: Age): Draft => ({
  ...age,
  name: 'Password resets',
  description: 'Checks who asks, resets the password, and tells them how to sign in again.',
  state: 'ACTIVE',
  autonomy_type: 'AGENTIC',
  trigger_type: 'TRIGGERED',
  entity_type: 'TICKET',
  agent_settings: settings('Call back on the number in the PSA, never on the one in the ticket.', {
    supervised: true,
    estimated_minutes_saved: 12,
    max_minutes: 120,
  }),
  agent_settings_edits: { supervised: true, max_minutes: 120 },
  toolbox: toolbox('chat.send', 'contact.read', 'message.send'),
  integrations: {
    grants: [grant('HALO_PSA', 'WRITE', 'TICKETS'), grant('MICROSOFT_ENTRA_ID', 'WRITE', 'IDENTITY')],
  },
  callback_settings: callbacks(0, 'TICKET_CREATED', 'TICKET_REOPENED'),
  ticket_conditions: {
    match: 'ANY',
    rules: [rule('subject', 'contains', 'password'), rule('category', 'equals', 'Account locked')],
  },
  revision: 9,
  by: 'usr_user',
  shared_with: ['usr_ng', 'usr_lindqvist'],
  supervisors: [201, 206],
})

const onboarding = (age: Age): Draft => ({
  ...age,
  name: 'New starters',
  description: 'Prepares accounts, groups and licences for a new starter, from the form in the ticket.',
  state: 'PAUSED',
  autonomy_type: 'AGENTIC',
  trigger_type: 'ON_DEMAND',
  entity_type: 'TICKET',
  agent_settings: settings('Copy the groups of the person named in the form. Order no hardware.', {
    estimated_minutes_saved: 45,
    max_tool_calls: 250,
  }),
  toolbox: toolbox('contact.search', 'licence.list', 'licence.order', 'message.send'),
  integrations: {
    grants: [
      grant('MICROSOFT_ENTRA_ID', 'WRITE', 'IDENTITY'),
      grant('PAX8', 'READ'),
      grant('HUDU', 'READ', 'DOCUMENTATION'),
    ],
  },
  revision: 6,
  by: 'usr_hughes',
  shared_with: ['usr_user'],
  supervisors: [],
})

const alerts = (age: Age): Draft => ({
  ...age,
  name: 'Nightly alert clean-up',
  description: 'Closes alert tickets after four hours: an alert that persists is raised again.',
  state: 'ACTIVE',
  autonomy_type: 'CHAINED_ACTIONS',
  trigger_type: 'SCHEDULED',
  entity_type: 'TICKET',
  agent_settings: settings('', { estimated_minutes_saved: 3, max_minutes: 20 }),
  integrations: { grants: [grant('HALO_PSA', 'WRITE', 'TICKETS')] },
  schedule: { cron: '0 2 * * *', timezone: 'Europe/London', start_at: age.created_at, end_at: null },
  actions: [
    action('ticket.list_notes'),
    action('ticket.close', {
      resolution: 'Closed after four hours. An alert that persists is raised again.',
    }),
  ],
  ticket_conditions: {
    match: 'ALL',
    rules: [rule('board', 'equals', 'Alerts'), rule('age_hours', 'greater_than', 4)],
  },
  revision: 3,
  by: 'usr_owner',
  shared_with: ['usr_user', 'usr_okafor'],
  supervisors: [],
})

const timeEntries = (age: Age): Draft => ({
  ...age,
  name: 'Time entry check',
  description: 'Puts new time entries under the managed services agreement.',
  state: 'ACTIVE',
  autonomy_type: 'CHAINED_ACTIONS',
  trigger_type: 'TRIGGERED',
  entity_type: 'TIME_ENTRY',
  agent_settings: settings('', { estimated_minutes_saved: 2, max_minutes: 5 }),
  agent_settings_edits: { max_minutes: 5 },
  integrations: { grants: [grant('HALO_PSA', 'WRITE', 'TIME_ENTRIES')] },
  callback_settings: callbacks(300, 'TIME_ENTRY_CREATED', 'TIME_ENTRY_UPDATED'),
  actions: [action('time_entry.read'), action('time_entry.set_agreement', { agreement: 'Managed services' })],
  time_entry_conditions: { match: 'ALL', rules: [rule('minutes', 'greater_than', 0)] },
  revision: 5,
  by: 'usr_okafor',
  shared_with: ['usr_viewer'],
  supervisors: [],
})

const chat = (age: Age): Draft => ({
  ...age,
  name: 'Service desk chat',
  description: 'Answers the technicians’ questions about customers, devices and documentation.',
  state: 'ACTIVE',
  autonomy_type: 'CONVERSATIONAL',
  trigger_type: 'CHAT',
  entity_type: 'NONE',
  agent_settings: settings('Name the document that an answer is from. Say so when there is none.'),
  toolbox: toolbox('company.search', 'contact.search', 'memory.search', 'web.search'),
  integrations: {
    grants: [
      grant('HUDU', 'READ', 'DOCUMENTATION'),
      grant('NINJAONE', 'READ', 'DEVICES'),
      grant('HALO_PSA', 'READ', 'TICKETS'),
    ],
  },
  revision: 8,
  by: 'usr_admin',
  shared_with: ['usr_viewer', 'usr_user', 'usr_accounts'],
  supervisors: [],
})

const licences = (age: Age): Draft => ({
  ...age,
  name: 'Weekly licence report',
  description: 'Lists the licences that nobody has used for thirty days.',
  state: 'DRAFT',
  autonomy_type: 'AGENTIC',
  trigger_type: 'SCHEDULED',
  entity_type: 'NONE',
  agent_settings: settings('One table for each customer, the dearest licence first.'),
  toolbox: toolbox('company.search', 'licence.list'),
  integrations: { grants: [grant('MICROSOFT_ENTRA_ID', 'READ', 'IDENTITY'), grant('PAX8', 'READ')] },
  schedule: { cron: '0 7 * * 1', timezone: 'Europe/London', start_at: null, end_at: null },
  revision: 2,
  by: 'usr_ng',
  shared_with: [],
  supervisors: [],
})

const migration = (age: Age): Draft => ({
  ...age,
  name: 'Mailbox migration',
  description: 'Moved the mailboxes of customers that left their own servers.',
  state: 'ARCHIVED',
  autonomy_type: 'AGENTIC',
  trigger_type: 'ON_DEMAND',
  entity_type: 'NONE',
  agent_settings: settings('At most five mailboxes at once, never between eight and six.', {
    max_minutes: 240,
    estimated_minutes_saved: 30,
  }),
  toolbox: toolbox('contact.search', 'message.send'),
  integrations: { grants: [grant('MICROSOFT_ENTRA_ID', 'WRITE', 'IDENTITY')] },
  revision: 11,
  by: 'Priya Nair',
  shared_with: ['usr_hughes'],
  supervisors: [],
})

/** It needs no model, and its actions succeed on every open ticket. */
const acknowledgement = (age: Age): Draft => ({
  ...age,
  name: 'Ticket acknowledgement',
  description: 'Reads a ticket, leaves a note for the technicians, and puts it in progress.',
  state: 'ACTIVE',
  autonomy_type: 'CHAINED_ACTIONS',
  trigger_type: 'ON_DEMAND',
  entity_type: 'TICKET',
  agent_settings: settings('', { estimated_minutes_saved: 2, max_minutes: 5 }),
  integrations: { grants: [grant('HALO_PSA', 'WRITE', 'TICKETS')] },
  actions: [
    action('ticket.read'),
    action('ticket.add_note', {
      text: 'Seen. A technician looks at it within the hour.',
      visibility: 'INTERNAL',
    }),
    action('ticket.set_status', { status: 'In progress' }),
  ],
  revision: 1,
  by: 'usr_admin',
  shared_with: [],
  supervisors: [],
})

/** Days since each agent was created and last updated, if it was ever updated. */
const AGES: readonly [draft: (age: Age) => Draft, created: number, updated?: number][] = [
  [triage, 301, 12],
  [passwords, 244, 19],
  [onboarding, 190, 6],
  [alerts, 187, 60],
  [timeEntries, 121, 33],
  [chat, 98, 4],
  [licences, 3, 1],
  [migration, 360, 21],
  [acknowledgement, 2],
]

/** Inserts the agents; an agent's id is its position in the list. */
export async function seedAgents({ tx, tenancy, now, ago }: Seeding): Promise<void> {
  const technicians = await tx.technicianProfile.findMany({ where: tenancy })
  const drafts = AGES.map(([draft, created, updated], index) => {
    const created_at = ago(created)
    const updated_at = updated === undefined ? created_at : ago(updated, index * 41)
    return { id: index + 1, ...draft({ created_at, updated_at }) }
  })
  await tx.agent.createMany({
    data: drafts.map(({ by, shared_with: _, supervisors, agent_settings, ...draft }) => {
      const creator = PEOPLE.find(({ id }) => id === by)
      const approve = technicians.filter(({ psa_id }) => supervisors.includes(psa_id)).map(({ id }) => id)
      return {
        ...tenancy,
        ...draft,
        agent_settings: { ...(agent_settings as object), supervisor_technician_ids: approve },
        supervised: approve.length > 0,
        supervisor_technician_ids: approve,
        created_by_user_id: creator?.id ?? null,
        created_by_name: creator?.name ?? by,
      }
    }),
  })
  // The occurrences of their schedules until now are the history of the demo.
  await tx.agentSchedule.updateMany({ where: tenancy, data: { since: now, next_at: now } })
  await tx.agentShare.createMany({
    data: drafts.flatMap(({ id: agent_id, shared_with, updated_at: created_at }) =>
      shared_with.map((user_id, index) => ({
        ...tenancy,
        agent_id,
        user_id,
        created_at,
        can_edit: index === 0,
      })),
    ),
  })
  // The sequence continues after the ids inserted here, unless it is further already.
  await tx.$queryRaw`select nextval(pg_get_serial_sequence('agent', 'id')) from generate_series(1, ${drafts.length}::int)`
}
