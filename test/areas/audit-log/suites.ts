import type { ActivityEntry, AuditEntry } from '../../../src/db/generated/client/client.ts'
import { addExecutions } from '../../setup/agents.ts'
import { clock } from '../../setup/app.ts'
import { addActivities, addEntries, asRetention } from '../../setup/audit-log.ts'
import { SYSTEM } from '../../setup/samples.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'
import { addSharedAgents } from '../../setup/suites/parents.ts'
import { at, isEqual, isIn, type ListSampler, type SampleKey } from '../../setup/suites/sampler.ts'
import { agent, at_row, mostly, ofEnum, ROWS } from '../../setup/suites/skewed.ts'
import { days, type Msp } from '../../setup/world.ts'

const execution_id = from('executions', 'execution_id')

const START = Math.floor(Date.now() / days(1)) * days(1) - days(20)

/** An instant of the last weeks for each number; some have the same. */
const recent = (n: number): Date => new Date(START + Math.floor(n / 3) * 3_600_000)

const window = <Row extends { occurred_at: Date }>() => ({
  from: {
    values: [recent(4).toISOString(), recent(15).toISOString()],
    meets: (row: Row, value: string) => row.occurred_at >= new Date(value),
  },
  to: {
    values: [recent(18).toISOString()],
    meets: (row: Row, value: string) => row.occurred_at < new Date(value),
  },
})

const AGENTS = [1, 2, 3, 4]
const NEWEST_FIRST: SampleKey<AuditEntry>[] = [
  { value: ({ occurred_at }) => occurred_at, descending: true },
  { value: ({ sequence }) => Number(sequence), descending: true },
]

async function addAgentsOnce(msp: Msp): Promise<void> {
  if (!(await addSharedAgents(msp, AGENTS))) return
  await addExecutions(
    msp,
    AGENTS.flatMap((agent_id) => [
      { agent_id, execution_id: `exe_${agent_id}` },
      { agent_id, execution_id: `exe_${agent_id}_again` },
    ]),
  )
}

const entries = {
  rows: ({ database: { prisma }, tenant_id }: Msp) => prisma.auditEntry.findMany({ where: { tenant_id } }),
  remove: async (msp: Msp, id: string) => {
    const { tenant_id } = msp
    await asRetention(msp, (tx) => tx.auditEntry.deleteMany({ where: { tenant_id, id } }))
  },
  id: 'id',
  orders: { '': NEWEST_FIRST },
} as const

const audit_log: ListSampler<AuditEntry> = {
  ...entries,
  async add(msp, numbers) {
    await addAgentsOnce(msp)
    await addEntries(
      msp,
      numbers.map((n) => ({
        id: `aud_${n}`,
        agent_id: at(AGENTS, n),
        execution_id: `exe_${at(AGENTS, n)}${n % 8 < 4 ? '' : '_again'}`,
        occurred_at: recent(n),
        tool_name: at(['ticket.read', 'device.search', 'ticket.close'], n),
        system: at(['HALO_PSA', 'NINJAONE', null], n >> 1),
        access: at(['READ', 'WRITE'] as const, n >> 2),
        outcome: at(['SUCCEEDED', 'FAILED', 'SUCCEEDED', 'DENIED', 'TIMED_OUT'] as const, n),
        supervised: n % 3 === 0,
        entity_id: at(['4711', '4712', null], n >> 1),
        entity_number: at(['T-4711', 'Ä_12', null], n >> 1),
        psa_company_name: at([null, 'Œuvre & Co'], n),
        result_summary: at([null, 'Done 100%', 'Mailbox'], n),
        error_message: at([null, null, null, 'Refused'], n),
        acting_user_id: at([null, 'usr_1', 'usr_2'], n >> 1),
      })),
    )
  },
  isSeenBy: ({ agent_id }) => agent_id === 1 || agent_id === 3,
  filters: {
    ...window<AuditEntry>(),
    agent_id: isEqual('agent_id', [1, 2, 999]),
    execution_id: isEqual('execution_id', ['exe_1', 'exe_3_again', 'unknown']),
    tool_name: isEqual('tool_name', ['device.search', 'ticket.close']),
    system: isEqual('system', ['NINJAONE', 'HUDU']),
    access: isEqual('access', ['READ', 'WRITE']),
    outcome: isEqual('outcome', ['FAILED', ['SUCCEEDED', 'DENIED', 'DENIED']]),
    supervised: isEqual('supervised', [true, false]),
    entity_id: isEqual('entity_id', ['4711', 'unknown']),
    acting_user_id: isEqual('acting_user_id', ['usr_1', 'unknown']),
    search: isIn(
      ({ entity_number, psa_company_name, result_summary, error_message }) => [
        entity_number,
        psa_company_name,
        result_summary,
        error_message,
      ],
      ['t-47', 'ä_', '%', 'œUVRE', 'REFUSED'],
    ),
  },
  indexed: [
    'from',
    'to',
    'agent_id',
    'execution_id',
    'tool_name',
    'system',
    'outcome',
    'entity_id',
    'acting_user_id',
  ],
  grows: {
    agent_id: [1, 200, 301, 9999],
    execution_id: ['exe_0000007', '-'],
    tool_name: ['ticket.1', 'device.1', '-'],
    entity_id: ['7', '-'],
    acting_user_id: ['usr_1', '-'],
    system: ['CONNECTWISE_PSA', 'HUDU', 'SYNCRO'],
  },
}

const execution_tool_calls: ListSampler<AuditEntry> = {
  ...entries,
  required: { execution_id: 'exe_1' },
  async add(msp, numbers) {
    await addAgentsOnce(msp)
    await addEntries(
      msp,
      numbers.map((n) => ({
        id: `aud_${n}`,
        agent_id: 1,
        execution_id: n % 5 === 4 ? 'exe_1_again' : 'exe_1',
        occurred_at: recent(n),
      })),
    )
  },
  filters: { execution_id: isEqual('execution_id', ['exe_1', 'exe_1_again']) },
  steady: 'its rows are of one execution',
}

const targetOf = ({ targets }: ActivityEntry) => (targets as { type: string; id: string }[])[0]

const activity_log: ListSampler<ActivityEntry> = {
  add: (msp, numbers) =>
    addActivities(
      msp,
      numbers.map((n) => ({
        id: `act_${String(n).padStart(3, '0')}`,
        occurred_at: recent(n),
        action: at(['settings.updated', 'api_key.rotated', 'agent.created'], n),
        actor_type: at(['USER', 'API_KEY', 'USER', 'SYSTEM'], n),
        actor_id: at(['usr_1', 'key_1', 'usr_2'], n >> 1),
        targets: [{ type: at(['settings', 'api_key'], n >> 1), id: at(['a', 'b', 'c'], n), name: 'Target' }],
      })),
    ),
  rows: ({ database: { prisma }, tenant_id }) => prisma.activityEntry.findMany({ where: { tenant_id } }),
  remove: async (msp, id) => {
    const { tenant_id } = msp
    await asRetention(msp, (tx) => tx.activityEntry.deleteMany({ where: { tenant_id, id } }))
  },
  id: 'id',
  orders: {
    '': [
      { value: ({ occurred_at }) => occurred_at, descending: true },
      { value: ({ id }) => id, descending: true },
    ],
  },
  filters: {
    ...window<ActivityEntry>(),
    actor_type: isEqual('actor_type', ['API_KEY', 'SYSTEM']),
    actor_id: isEqual('actor_id', ['usr_1', 'unknown']),
    action: isEqual('action', ['api_key.rotated', 'unknown']),
    target_type: { values: ['settings', 'api_key'], meets: (row, value) => targetOf(row)?.type === value },
    target_id: { values: ['a', 'unknown'], meets: (row, value) => targetOf(row)?.id === value },
  },
  indexed: ['from', 'to', 'actor_id', 'action'],
  grows: {
    actor_id: ['usr_7', '-'],
    action: ['agent.1', 'settings.1', '-'],
    target_type: ['api_key', '-'],
    target_id: [`key_${ROWS - 50}`, '-'],
  },
}

export const SUITES: AreaSuites = {
  who_may: {
    execution_tool_calls: { scope: 'audit_log:read' },
    audit_log: { scope: 'audit_log:read' },
    audit_log_entry: { scope: 'audit_log:read' },
    audit_log_summary: { scope: 'audit_log:read' },
    audit_log_export: { scope: 'audit_log:read', admins: true },
    verify_audit_log: { scope: 'audit_log:read', admins: true },
    activity_log: { scope: 'audit_log:read', admins: true },
  },
  examples: {
    reads: {
      execution_tool_calls: { execution_id, page_size },
      activity_log: { page_size },
      audit_log: { tool_name: 'contact.read', page_size },
      audit_log_entry: { entry_id: from('audit_log', 'id') },
      audit_log_summary: { group_by: 'TOOL' },
      audit_log_export: { format: 'csv', outcome: ['FAILED'] },
      verify_audit_log: { day: '2026-11-18' },
    },
  },
  // The chain has today, also if the day ends meanwhile.
  async own_rows(msp, { id, mark, number, of }) {
    const agent_id = Number((await of('agents')).agent_id)
    const execution_id = String((await of('executions')).execution_id)
    // Entries of scheduled work, which have numbers, are named by the argument too.
    const entry_id = String(agent_id)
    const tool = { tool_name: mark, tool_title: mark, result_summary: mark, system: SYSTEM }
    await addEntries(msp, [{ id: entry_id, agent_id, execution_id, ...tool }])
    await addActivities(msp, [{ id: `act_${id}`, targets: [{ type: 'agent', id, name: mark }] }])
    const { tenant_id, environment, database } = msp
    const today = { tenant_id, environment, day: clock.now(), entries: number, last_hash: mark }
    const tomorrow = { ...today, day: new Date(clock.now().getTime() + days(1)) }
    await database.prisma.auditDay.createMany({ data: [today, tomorrow] })
    return { entry_id }
  },
  shown_by: { audit_log_export: 'nothing', verify_audit_log: 'number' },
  lists: { activity_log, audit_log, execution_tool_calls },
  nested_lists: {
    'Execution.tool_calls': {
      list: 'execution_tool_calls',
      parent: 'execution_id',
      parents: ['exe_1', 'exe_1_again'].map((id) => [id, `execution(execution_id: "${id}")`]),
    },
  },
  skewed_rows: {
    audit_entry: {
      id: `'aud_' || lpad(n::text, 7, '0')`,
      occurred_at: at_row,
      sequence: `${ROWS} - n`,
      agent_id: agent,
      agent_name: `'Agent'`,
      execution_id: `'exe_' || lpad((1 + n / 4)::text, 7, '0')`,
      tool_name: mostly(`'ticket.' || n % 10`, `'device.' || ? % 3`),
      tool_title: `'A tool'`,
      system: mostly(`'CONNECTWISE_PSA'`, `'HUDU'`),
      access: ofEnum('tool_access', 'READ'),
      outcome: ofEnum('audit_outcome', 'SUCCEEDED', 2),
      supervised: mostly('false', '? % 2 = 0', 3),
      arguments: `'{}'::jsonb`,
      entity_id: `(n % 50000)::text`,
      acting_user_id: mostly('null', `'usr_' || ? % 5`),
      correlation_id: `'cor'`,
    },
    activity_entry: {
      id: `'act_' || lpad(n::text, 7, '0')`,
      occurred_at: at_row,
      action: mostly(`'agent.' || n % 40`, `'settings.' || ? % 3`),
      actor_type: mostly(`'USER'`, `(array['API_KEY', 'AGENT', 'SYSTEM'])[1 + ? % 3]`),
      actor_id: `'usr_' || n % 1000`,
      actor_name: `'Somebody'`,
      targets: mostly(
        `'[]'::jsonb`,
        `jsonb_build_array(jsonb_build_object('type', 'api_key', 'id', 'key_' || ?, 'name', 'Key'))`,
      ),
      context: `'{}'::jsonb`,
    },
  },
  error_codes: {
    404: 'audit_log_entry_not_found',
  },
  foreign_tables: {
    agent: 'the counts by agent have the present names; the agents import the audit log',
  },
  single_rows: {
    'audit_log.closed_entry': 'the day is a text here, and Prisma takes a date',
  },
}
