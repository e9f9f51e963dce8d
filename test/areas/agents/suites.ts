import fc from 'fast-check'
import type { Agent, AgentRevision } from '../../../src/db/generated/client/client.ts'
import { VALID } from '../../setup/agent-bodies.ts'
import { addAgents, addRevisions, share, shareAll } from '../../setup/agents.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'
import { at, instant, isEqual, isIn, type ListSampler, newestFirst } from '../../setup/suites/sampler.ts'
import { type SentBack, some, text, textOrNone } from '../../setup/suites/sent-back.ts'

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

const settings = {
  custom_instructions: text,
  max_minutes: fc.integer({ min: 1, max: 240 }),
  confidence_threshold: fc.constantFrom(0, 0.1, 1),
}

const { AGENTIC } = VALID

const changed: SentBack = {
  written_first: true,
  bodies: () =>
    fc
      .tuple(
        some(settings),
        some({
          name: fc.constantFrom('A', ' B '),
          description: textOrNone,
          toolbox: fc.constantFrom(null, {}, { tools: ['memory.save'] }),
          integrations: fc.constantFrom(null, { grants: [] }, { grants: [{ system: 'HUDU' }] }),
          schedule: fc.constantFrom(null, { cron: '0 7 * * 1', start_at: '2026-12-01T00:00:00+01:00' }),
          callback_settings: fc.constantFrom(null, AGENTIC.callback_settings),
          actions: fc.constantFrom(null, [], AGENTIC.actions),
          ticket_conditions: fc.constantFrom(null, AGENTIC.ticket_conditions),
          time_entry_conditions: fc.constantFrom(null, AGENTIC.time_entry_conditions),
        }),
      )
      .map(([agent_settings, body]) => ({ ...body, agent_settings })),
}

type Row = Agent & { shared_with: string[] }

const agents: ListSampler<Row> = {
  async add(msp, numbers) {
    await addAgents(
      msp,
      numbers.map((n) => ({
        id: n + 1,
        name: `${at(['Triage', 'CAFÉ 100%', 'a_b', 'mail'], n)} ${n % 7}`,
        state: at(['ACTIVE', 'DRAFT', 'ARCHIVED', 'PAUSED', 'ACTIVE'] as const, n),
        autonomy_type: at(['AGENTIC', 'CHAINED_ACTIONS'] as const, n),
        trigger_type: at(['TRIGGERED', 'SCHEDULED', 'ON_DEMAND'] as const, n),
        entity_type: at(['TICKET', 'NONE'] as const, n >> 1),
        supervised: n % 3 === 0,
        created_by_user_id: n % 4 === 0 ? msp.user.id : null,
        created_at: instant(n),
      })),
    )
    const shared = numbers.filter((n) => n % 4 === 1)
    await shareAll(
      msp,
      shared.map((n) => n + 1),
      msp.user.id,
    )
  },
  async rows({ database: { prisma }, tenant_id }) {
    const rows = await prisma.agent.findMany({ where: { tenant_id }, include: { shares: true } })
    return rows.map(({ shares, ...row }) => ({ ...row, shared_with: shares.map(({ user_id }) => user_id) }))
  },
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.agent.deleteMany({ where: { tenant_id, id: Number(id) } })
  },
  id: 'id',
  orders: {
    created_at: newestFirst(({ id }) => id),
    name: [{ value: ({ name }) => name.toLowerCase() }, { value: ({ id }) => id }],
  },
  lists: ({ state }, args) => args.state !== undefined || state !== 'ARCHIVED',
  isSeenBy: (row, user_id) => row.created_by_user_id === user_id || row.shared_with.includes(user_id),
  filters: {
    state: isEqual('state', ['ACTIVE', ['DRAFT', 'ARCHIVED']]),
    autonomy_type: isEqual('autonomy_type', ['AGENTIC', 'CONVERSATIONAL']),
    trigger_type: isEqual('trigger_type', ['SCHEDULED', 'CHAT']),
    entity_type: isEqual('entity_type', ['NONE', 'TICKET']),
    supervised: isEqual('supervised', [true, false]),
    search: isIn(({ name }) => [name], ['é 1', '%', '_', 'TRI']),
  },
  steady: 'people make its rows, one by one',
}

/** Every fifth revision is of another agent. */
const agentOf = (n: number): number => (n % 5 === 0 ? 2 : 1)

const agent_revisions: ListSampler<AgentRevision> = {
  required: { agent_id: 1 },
  async add(msp, numbers) {
    const known = await msp.database.prisma.agent.count({ where: { tenant_id: msp.tenant_id } })
    if (known === 0) await addAgents(msp, [{ id: 1 }, { id: 2 }])
    for (const agent_id of [1, 2])
      await addRevisions(
        msp,
        agent_id,
        numbers
          .filter((n) => agentOf(n) === agent_id)
          .map((n) => ({ revision: n + 1, changed_at: instant(n), snapshot: { name: `Name ${n}` } })),
      )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.agentRevision.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, revision) {
    await prisma.agentRevision.deleteMany({ where: { tenant_id, revision: Number(revision) } })
  },
  id: 'revision',
  orders: { '': [{ value: ({ revision }) => revision, descending: true }] },
  filters: {
    agent_id: { values: [1, 2], meets: (row, value: number) => row.agent_id === value },
  },
  steady: 'its rows are of one agent',
}

export const SUITES: AreaSuites = {
  who_may: {
    agents: { scope: 'agents:read' },
    agent: { scope: 'agents:read' },
    create_agent: { scope: 'agents:write' },
    replace_agent: { scope: 'agents:write' },
    update_agent: { scope: 'agents:write' },
    validate_agent: { scope: 'agents:write' },
    activate_agent: { scope: 'agents:write' },
    pause_agent: { scope: 'agents:write' },
    archive_agent: { scope: 'agents:write' },
    agent_shares: { scope: 'agents:read' },
    set_agent_shares: { scope: 'agents:write' },
    agent_revision: { scope: 'agents:read' },
    agent_revisions: { scope: 'agents:read' },
    restore_agent_revision: { scope: 'agents:write' },
    run_agent_now: { scope: 'agents:run' },
  },
  examples: {
    reads: {
      agents: { state: ['ACTIVE'], page_size },
      agent: { agent_id: 1 },
      agent_revision: { agent_id: 1, revision: 1 },
      agent_revisions: { agent_id: 1, page_size },
      agent_shares: { agent_id: 1 },
    },
    kinds: {
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
    },
    writes: {
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
      set_agent_shares: {
        agent_id: 5,
        input: {
          shares: [
            { user_id: 'usr_user', can_edit: true },
            { user_id: 'usr_viewer', can_edit: false },
          ],
        },
      },
    },
  },
  async own_rows(msp, { id_number: agent_id, mark, of }) {
    const { user_id } = await of('tenant')
    await addAgents(msp, [{ id: agent_id, name: mark }])
    await share(msp, agent_id, String(user_id))
    await addRevisions(msp, agent_id, [{ revision: 1, changed_by_name: mark, snapshot: { name: mark } }])
    return { agent_id, revision: 1 }
  },
  events: {
    'agent.created': ({ call }) => call('create_agent', { input: AGENTIC }),
    async 'agent.updated'({ call }) {
      const { id } = await call('create_agent', { input: AGENTIC })
      await call('update_agent', { agent_id: id, input: { name: 'Sorter' } })
    },
    async 'agent.activated'({ call }) {
      const { id } = await call('create_agent', { input: AGENTIC })
      await call('activate_agent', { agent_id: id })
    },
    async 'agent.paused'({ call }) {
      const { id } = await call('create_agent', { input: { ...AGENTIC, activate: true } })
      await call('pause_agent', { agent_id: id })
    },
    async 'agent.archived'({ call }) {
      const { id } = await call('create_agent', { input: AGENTIC })
      await call('archive_agent', { agent_id: id })
    },
  },
  not_walked: ['RunNowResult.execution'],
  lists: { agents, agent_revisions },
  channel_writes: {
    create_agent: 'runs at once',
    replace_agent: 'runs at once',
    update_agent: 'runs at once',
    validate_agent: 'runs at once',
    activate_agent: 'runs at once',
    pause_agent: 'runs at once',
    archive_agent: 'runs at once',
    set_agent_shares: 'runs at once',
    restore_agent_revision: 'runs at once',
    run_agent_now: 'runs at once',
  },
  fetched_again: {
    create_agent: ['agents'],
    replace_agent: ['agent_revisions', 'agent_shares'],
    update_agent: ['agent_revisions', 'agent_shares'],
    restore_agent_revision: ['agent_revisions', 'agent_shares'],
    pause_agent: ['agent_shares'],
    activate_agent: ['agent_shares'],
    archive_agent: ['agents', 'agent_shares'],
    run_agent_now: ['executions'],
  },
  unrecorded: ['validate_agent'],
  sent_back: {
    replace_agent: changed,
    update_agent: changed,
    set_agent_shares: {
      bodies: ({ user, viewer }) =>
        fc
          .uniqueArray(
            fc.constantFrom(
              { user_id: user.id, can_edit: true },
              { user_id: user.id, can_edit: false },
              { user_id: viewer.id, can_edit: false },
            ),
            { selector: ({ user_id }) => user_id },
          )
          .map((shares) => ({ shares })),
    },
  },
  error_codes: {
    400: 'validation_error',
    404: 'agent_not_found agent_revision_not_found',
    409: `agent_not_active agent_is_conversational agent_not_conversational model_not_configured
      agent_not_triggered subscription_inactive credits_exhausted`,
    422: 'entity_required',
  },
  foreign_tables: {
    credit_entry: 'the last run of a chat agent; the figures import the agents',
    escalation_policy: 'the tools of an agent depend on the policies; escalation imports the agents',
    execution: 'the last run of an agent is in each row of the list; executions import the agents',
  },
}
