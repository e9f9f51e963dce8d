/** The agents of the demo MSP: every kind, in every state, by different people, some of them shared. */
import type { ChangeType } from '../areas/change-types/catalogue.ts'
import type { GroupName } from '../areas/tenant/permission-group-catalogue.ts'
import {
  AgentState,
  AutonomyType,
  EntityType,
  type Prisma,
  TriggerType,
} from '../db/generated/client/client.ts'
import type { ToolName } from '../tools/registry.ts'
import type { Seeding } from './seeding.ts'
import { list, number, numbers, oneOf, optional, table, text } from './table.ts'
import { PEOPLE } from './tenant.ts'

/** The id of an agent is its place. `by`: the creator's id, or the name of a user who was deleted. `approvers`: PSA ids. */
const AGENTS = table(
  {
    name: text,
    state: oneOf(AgentState),
    autonomy_type: oneOf(AutonomyType),
    trigger_type: oneOf(TriggerType),
    entity_type: oneOf(EntityType),
    revision: number,
    created_days: number,
    updated_days: optional(number),
    by: text,
    approvers: numbers,
    shared_with: list,
    description: text,
  },
  `
  Ticket triage | ACTIVE | AGENTIC | TRIGGERED | TICKET | 14 | 301 | 12 | usr_admin | | usr_user, usr_viewer, usr_okafor | Gives every new ticket a type, a priority and a team, and asks for what is missing.
  Password resets | ACTIVE | AGENTIC | TRIGGERED | TICKET | 9 | 244 | 19 | usr_user | 201, 206 | usr_ng, usr_lindqvist | Checks who asks, resets the password, and tells them how to sign in again.
  New starters | PAUSED | AGENTIC | ON_DEMAND | TICKET | 6 | 190 | 6 | usr_hughes | | usr_user | Prepares accounts, groups and licences for a new starter, from the form in the ticket.
  Nightly alert clean-up | ACTIVE | CHAINED_ACTIONS | SCHEDULED | TICKET | 3 | 187 | 60 | usr_owner | | usr_user, usr_okafor | Closes alert tickets after four hours: an alert that persists is raised again.
  Time entry check | ACTIVE | CHAINED_ACTIONS | TRIGGERED | TIME_ENTRY | 5 | 121 | 33 | usr_okafor | | usr_viewer | Puts new time entries under the managed services agreement.
  Service desk chat | ACTIVE | CONVERSATIONAL | CHAT | NONE | 8 | 98 | 4 | usr_admin | | usr_viewer, usr_user, usr_accounts | Answers the technicians’ questions about customers, devices and documentation.
  Weekly licence report | DRAFT | AGENTIC | SCHEDULED | NONE | 2 | 3 | 1 | usr_ng | | | Lists the licences that nobody has used for thirty days.
  Mailbox migration | ARCHIVED | AGENTIC | ON_DEMAND | NONE | 11 | 360 | 21 | Priya Nair | | usr_hughes | Moved the mailboxes of customers that left their own servers.
  Ticket acknowledgement | ACTIVE | CHAINED_ACTIONS | ON_DEMAND | TICKET | 1 | 2 | | usr_admin | | | Reads a ticket, leaves a note for the technicians, and puts it in progress.
`,
)

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

export const grant = (system: string, access: 'READ' | 'WRITE', ...permission_groups: GroupName[]) => ({
  system,
  permission_groups,
  access,
})

const grants = (...all: ReturnType<typeof grant>[]) => ({ integrations: { grants: all } })

const toolbox = (...tools: ToolName[]) => ({ toolbox: { tools } })

const actions = (...all: [type: ToolName, params?: object][]) => ({
  actions: all.map(([type, params = {}]) => ({ type, params })),
})

const callbacks = (debounce_seconds: number, ...change_types: ChangeType[]) => ({
  callback_settings: { change_types, ignore_own_changes: true, debounce_seconds },
})

type Config = Partial<Prisma.AgentCreateManyInput> & { agent_settings: object }

const [PSA, IDENTITY, DOCUMENTATION] = [
  grant('HALO_PSA', 'WRITE', 'TICKETS'),
  grant('MICROSOFT_ENTRA_ID', 'WRITE', 'IDENTITY'),
  grant('HUDU', 'READ', 'DOCUMENTATION'),
]

/** The configuration of each agent, by its name. */
const configs = (created_at: Date): Readonly<Record<string, Config>> => ({
  'Ticket triage': {
    agent_settings: settings('Never change the priority of a VIP’s ticket. Ask one question at a time.', {
      confidence_threshold: 0.8,
      estimated_minutes_saved: 6,
    }),
    agent_settings_edits: { confidence_threshold: 0.8 },
    ...toolbox('company.read', 'contact.read', 'memory.save', 'memory.search'),
    ...grants(PSA, DOCUMENTATION),
    ...callbacks(30, 'TICKET_CREATED', 'TICKET_CUSTOMER_REPLIED'),
    ticket_conditions: {
      match: 'ALL',
      rules: [rule('board', 'equals', 'Service desk'), rule('status', 'not_equals', 'Closed')],
    },
  },
  'Password resets': {
    agent_settings: settings('Call back on the number in the PSA, never on the one in the ticket.', {
      supervised: true,
      estimated_minutes_saved: 12,
      max_minutes: 120,
    }),
    agent_settings_edits: { supervised: true, max_minutes: 120 },
    ...toolbox('chat.send', 'contact.read', 'message.send'),
    ...grants(PSA, IDENTITY),
    ...callbacks(0, 'TICKET_CREATED', 'TICKET_REOPENED'),
    ticket_conditions: {
      match: 'ANY',
      rules: [rule('subject', 'contains', 'password'), rule('category', 'equals', 'Account locked')],
    },
  },
  'New starters': {
    agent_settings: settings('Copy the groups of the person named in the form. Order no hardware.', {
      estimated_minutes_saved: 45,
      max_tool_calls: 250,
    }),
    ...toolbox('contact.search', 'licence.list', 'licence.order', 'message.send'),
    ...grants(IDENTITY, grant('PAX8', 'READ'), DOCUMENTATION),
  },
  'Nightly alert clean-up': {
    agent_settings: settings('', { estimated_minutes_saved: 3, max_minutes: 20 }),
    ...grants(PSA),
    schedule: { cron: '0 2 * * *', timezone: 'Europe/London', start_at: created_at, end_at: null },
    ...actions(
      ['ticket.list_notes'],
      ['ticket.close', { resolution: 'Closed after four hours. An alert that persists is raised again.' }],
    ),
    ticket_conditions: {
      match: 'ALL',
      rules: [rule('board', 'equals', 'Alerts'), rule('age_hours', 'greater_than', 4)],
    },
  },
  'Time entry check': {
    agent_settings: settings('', { estimated_minutes_saved: 2, max_minutes: 5 }),
    agent_settings_edits: { max_minutes: 5 },
    ...grants(grant('HALO_PSA', 'WRITE', 'TIME_ENTRIES')),
    ...callbacks(300, 'TIME_ENTRY_CREATED', 'TIME_ENTRY_UPDATED'),
    ...actions(['time_entry.read'], ['time_entry.set_agreement', { agreement: 'Managed services' }]),
    time_entry_conditions: { match: 'ALL', rules: [rule('minutes', 'greater_than', 0)] },
  },
  'Service desk chat': {
    agent_settings: settings('Name the document that an answer is from. Say so when there is none.'),
    ...toolbox('company.search', 'contact.search', 'memory.search', 'web.search'),
    ...grants(DOCUMENTATION, grant('NINJAONE', 'READ', 'DEVICES'), grant('HALO_PSA', 'READ', 'TICKETS')),
  },
  'Weekly licence report': {
    agent_settings: settings('One table for each customer, the dearest licence first.'),
    ...toolbox('company.search', 'licence.list'),
    ...grants(grant('MICROSOFT_ENTRA_ID', 'READ', 'IDENTITY'), grant('PAX8', 'READ')),
    schedule: { cron: '0 7 * * 1', timezone: 'Europe/London', start_at: null, end_at: null },
  },
  'Mailbox migration': {
    agent_settings: settings('At most five mailboxes at once, never between eight and six.', {
      max_minutes: 240,
      estimated_minutes_saved: 30,
    }),
    ...toolbox('contact.search', 'message.send'),
    ...grants(IDENTITY),
  },
  // It needs no model, and its actions succeed on every open ticket.
  'Ticket acknowledgement': {
    agent_settings: settings('', { estimated_minutes_saved: 2, max_minutes: 5 }),
    ...grants(PSA),
    ...actions(
      ['ticket.read'],
      [
        'ticket.add_note',
        { text: 'Seen. A technician looks at it within the hour.', visibility: 'INTERNAL' },
      ],
      ['ticket.set_status', { status: 'In progress' }],
    ),
  },
})

export async function seedAgents({ tx, tenancy, now, ago }: Seeding): Promise<void> {
  const technicians = await tx.technicianProfile.findMany({ where: tenancy })
  const drafts = AGENTS.map(({ created_days, updated_days, ...agent }, index) => {
    const created_at = ago(created_days)
    const updated_at = updated_days === null ? created_at : ago(updated_days, index * 41)
    const { agent_settings, ...config } = configs(created_at)[agent.name] as Config
    return { id: index + 1, ...agent, agent_settings, config, created_at, updated_at }
  })
  await tx.agent.createMany({
    data: drafts.map(({ by, shared_with: _, approvers, agent_settings, config, ...draft }) => {
      const creator = PEOPLE.find(({ id }) => id === by)
      const approve = technicians.filter(({ psa_id }) => approvers.includes(psa_id)).map(({ id }) => id)
      return {
        ...tenancy,
        ...draft,
        ...config,
        agent_settings: { ...agent_settings, supervisor_technician_ids: approve },
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
