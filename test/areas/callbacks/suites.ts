import type { Callback, CallbackMatch } from '../../../src/db/generated/client/client.ts'
import { addAgents, addExecutions } from '../../setup/agents.ts'
import { addCallbacks, addMatches } from '../../setup/callbacks.ts'
import { processCallbacksOf, withoutPsa } from '../../setup/due.ts'
import { addPsaTickets } from '../../setup/psa.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'
import { at, instant, isEqual, isIn, type ListSampler } from '../../setup/suites/sampler.ts'
import { agent, at_row, mostly, ofEnum } from '../../setup/suites/skewed.ts'
import { installQueues } from '../agents/runnable.ts'
import { receive } from './events.ts'

const callback_status = ofEnum('callback_status', 'PROCESSED', 3)
type Row = Callback & { matched: boolean; agent_ids: number[] }

const [AGENT, OTHER] = [1, 2] as const

const callbacks: ListSampler<Row> = {
  async add(msp, numbers) {
    const { prisma } = msp.database
    const where = { tenant_id: msp.tenant_id }
    if ((await prisma.agent.count({ where })) === 0) await addAgents(msp, [{ id: AGENT }, { id: OTHER }])
    const ids = numbers.map((n) => ({ n, id: `cb_${String(n).padStart(3, '0')}` }))
    await addCallbacks(
      msp,
      ids.map(({ n, id }) => ({
        id,
        change_types: [...at([['TICKET_CREATED'], ['TICKET_MERGED', 'TICKET_CLOSED'], []], n)],
        entity_type: at(['TICKET', 'TIME_ENTRY', 'COMPANY'] as const, n >> 1),
        entity_id: at(['4711', '4712', '4713', '4714'], n),
        entity_number: at(['#4711', null, 'T-4712'], n),
        psa_company_id: at(['psa_1', null, 'psa_2'], n >> 2),
        status: at(['PROCESSED', 'FILTERED_OUT', 'QUEUED', 'FAILED', 'RECEIVED'] as const, n),
        received_at: instant(n),
      })),
    )
    const results = ['MATCHED', 'NOT_MATCHED', 'SKIPPED', 'MATCHED', 'ERROR'] as const
    const matchesOf = (agent_id: number, every: number) =>
      ids
        .filter(({ n }) => n % every !== 0)
        .map(({ n, id }) => ({ callback_id: id, agent_id, received_at: instant(n), result: at(results, n) }))
    await addMatches(msp, [...matchesOf(AGENT, 3), ...matchesOf(OTHER, 2)])
  },
  async rows({ database: { prisma }, tenant_id }) {
    const rows = await prisma.callback.findMany({ where: { tenant_id }, include: { matches: true } })
    return rows.map(({ matches, ...row }) => ({
      ...row,
      matched: matches.some(({ result }) => result === 'MATCHED'),
      agent_ids: matches.map(({ agent_id }) => agent_id),
    }))
  },
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.callback.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id',
  orders: {
    '': [
      { value: ({ received_at }) => received_at, descending: true },
      { value: ({ id }) => id, descending: true },
    ],
  },
  filters: {
    status: isEqual('status', ['PROCESSED', ['QUEUED', 'FAILED', 'QUEUED']]),
    change_type: {
      values: ['TICKET_CREATED', 'TIME_ENTRY_DELETED', 'TICKET_CLOSED'],
      meets: ({ change_types }, value: string) => change_types.includes(value),
    },
    entity_type: isEqual('entity_type', ['TICKET', 'CONTACT', 'TIME_ENTRY']),
    entity_id: isEqual('entity_id', ['4712', 'unknown']),
    psa_company_id: isEqual('psa_company_id', ['psa_1', 'unknown']),
    matched: isEqual('matched', [true, false]),
    agent_id: {
      values: [AGENT, OTHER, 9],
      meets: ({ agent_ids }, value: number) => agent_ids.includes(value),
    },
    search: isIn(({ entity_number }) => [entity_number], ['T-47', '4711', '%']),
    from: {
      values: [instant(4).toISOString(), instant(15).toISOString()],
      meets: ({ received_at }, value: string) => received_at >= new Date(value),
    },
    to: {
      values: [instant(18).toISOString()],
      meets: ({ received_at }, value: string) => received_at < new Date(value),
    },
  },
  indexed: ['from', 'to', 'status', 'entity_type', 'entity_id', 'psa_company_id', 'agent_id'],
  grows: {
    change_type: ['TICKET_STATUS_CHANGED', 'TICKET_MERGED', 'TICKET_REOPENED'],
    entity_id: ['7', '-'],
    psa_company_id: ['7', '-'],
    agent_id: [1, 200, 301, 9999],
  },
}

const [FIRST, SECOND] = ['cb_a', 'cb_b']

const callback_matches: ListSampler<CallbackMatch> = {
  required: { callback_id: FIRST },
  async add(msp, numbers) {
    const { prisma } = msp.database
    const where = { tenant_id: msp.tenant_id }
    if ((await prisma.callback.count({ where })) === 0)
      await addCallbacks(msp, [{ id: FIRST }, { id: SECOND }])
    await addAgents(
      msp,
      numbers.map((n) => ({ id: n + 1, created_by_user_id: n % 4 === 0 ? msp.user.id : null })),
    )
    await addMatches(
      msp,
      numbers.map((n) => ({
        callback_id: n % 5 === 4 ? SECOND : FIRST,
        agent_id: n + 1,
        result: at(['MATCHED', 'NOT_MATCHED', 'NOT_MATCHED', 'SKIPPED'] as const, n),
      })),
    )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.callbackMatch.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.callbackMatch.deleteMany({ where: { tenant_id, agent_id: Number(id) } })
  },
  id: 'agent_id',
  orders: { '': [{ value: ({ agent_id }) => agent_id }] },
  isSeenBy: ({ agent_id }) => agent_id % 4 === 1,
  filters: {
    callback_id: isEqual('callback_id', [FIRST, SECOND]),
    result: isEqual('result', ['MATCHED', 'ERROR', 'NOT_MATCHED']),
  },
  steady: 'its rows are of one callback',
}

export const SUITES: AreaSuites = {
  who_may: {
    callbacks: { scope: 'callbacks:read' },
    callback: { scope: 'callbacks:read' },
    callback_matches: { scope: 'callbacks:read' },
    test_callback_match: { scope: 'callbacks:read' },
    reprocess_callback: { scope: 'callbacks:write' },
  },
  examples: {
    reads: {
      callbacks: { status: ['FILTERED_OUT'], page_size },
      callback: { callback_id: from('executions', 'callback_id') },
      callback_matches: { callback_id: from('executions', 'callback_id'), page_size },
    },
    writes: {
      reprocess_callback: { callback_id: from('callbacks', 'id') },
      test_callback_match: {
        input: { entity_id: from('executions', 'entity_id'), change_types: ['TICKET_CREATED'] },
      },
    },
  },
  async own_rows(msp, { id, mark, number, of }) {
    const agent_id = Number((await of('agents')).agent_id)
    const callback_id = `cb_${id}`
    const execution_id = `exe_of_cb_${id}`
    await addCallbacks(msp, [
      { id: callback_id, entity_number: mark, change_types: ['TICKET_CREATED'], work_seconds: number },
    ])
    await addExecutions(msp, [{ execution_id, agent_id, callback_id, seconds_spent: number }])
    await addMatches(msp, [{ callback_id, agent_id, execution_id }])
    return { callback_id }
  },
  lists: { callbacks, callback_matches },
  nested_lists: {
    'Callback.matches': {
      list: 'callback_matches',
      parent: 'callback_id',
      parents: [FIRST, SECOND].map((id) => [id, `callback(callback_id: "${id}")`]),
    },
  },
  skewed_rows: {
    callback: {
      id: `'cbk_' || lpad(n::text, 7, '0')`,
      psa_type: `'CONNECTWISE'`,
      change_types: mostly(
        `array['TICKET_STATUS_CHANGED']`,
        `array[(array['TICKET_CREATED', 'TICKET_CLOSED', 'TICKET_MERGED'])[1 + ? % 3]]`,
      ),
      entity_type: ofEnum('callback_entity_type', 'TICKET'),
      entity_id: `(n % 50000)::text`,
      psa_company_id: `(n % 500)::text`,
      status: callback_status,
      filter_reason: `case ${callback_status} when 'FILTERED_OUT' then (enum_range(null::filter_reason))[1] end`,
      processed_at: `case when ${callback_status} in ('PROCESSED', 'FAILED') then ${at_row} end`,
      received_at: at_row,
    },
    callback_match: {
      callback_id: `'cbk_' || lpad(n::text, 7, '0')`,
      agent_id: agent,
      result: mostly(
        `'NOT_MATCHED'::callback_match_result`,
        `(array['MATCHED', 'NOT_MATCHED'])[1 + ? % 2]::callback_match_result`,
      ),
      received_at: at_row,
    },
  },
  events: {
    async 'callback.failed'({ msp }) {
      await installQueues()
      await addPsaTickets(msp, [{ ticket_id: '1' }])
      await receive(msp, { event_id: 'e1' })
      const services = await withoutPsa('ticketsWithNotes')
      await processCallbacksOf(msp, { services })
      const { callback } = msp.database.prisma
      await callback.updateMany({ where: { tenant_id: msp.tenant_id }, data: { away_since: new Date(0) } })
      await processCallbacksOf(msp, { services })
    },
  },
  single_rows: {
    'callbacks.gate': 'a write follows in the same transaction, under the lock of the slots',
  },
  channel_writes: {
    test_callback_match: 'runs at once',
    reprocess_callback: 'runs at once',
  },
  unrecorded: ['test_callback_match'],
  error_codes: {
    404: 'callback_not_found',
    409: 'callback_not_reprocessable',
    429: 'events_not_stored',
  },
  foreign_tables: {
    agent:
      'which changes an active agent selects is asked beside what is known of the entity, at every event',
    settings: 'an event is stored with the sleep that is configured, by one statement, 200 times a second',
    tenant: 'whether the tenant is paused is asked where its event is stored, 200 times a second',
  },
}
