import type { ActivityEntry, AuditEntry } from '../../../src/db/generated/client/client.ts'
import { addExecutions } from '../agents.ts'
import { addActivities, addEntries, asRetention } from '../audit-log.ts'
import { days, type Msp } from '../world.ts'
import { at, isEqual, isIn, type ListSampler, type SampleKey } from './sampler.ts'
import { addSharedAgents } from './shared-agents.ts'

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

export const audit_log: ListSampler<AuditEntry> = {
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
}

export const execution_tool_calls: ListSampler<AuditEntry> = {
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
}

const targetOf = ({ targets }: ActivityEntry) => (targets as { type: string; id: string }[])[0]

export const activity_log: ListSampler<ActivityEntry> = {
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
}
