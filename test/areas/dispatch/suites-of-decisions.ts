/** Cases of what reads decisions, for the suites of all operations. */
import type { DispatchDecision } from '../../../src/db/generated/client/client.ts'
import { addDecisions, CANDIDATE } from '../../setup/dispatch.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'
import { addSharedAgents } from '../../setup/suites/parents.ts'
import { at, instant, isEqual, type ListSampler, newestFirst } from '../../setup/suites/sampler.ts'
import { agent, at_row, mostly, ofEnum } from '../../setup/suites/skewed.ts'
import { arrive, open } from './office.ts'

const AGENTS = [1, 2, 3]

// A ticket has one open suggestion at a time.
const STATUSES = ['APPLIED', 'NONE_FITS', 'OVERRIDDEN', 'EXPIRED', 'FAILED', 'APPLIED'] as const

const dispatch_decisions: ListSampler<DispatchDecision> = {
  async add(msp, numbers) {
    await addSharedAgents(msp, AGENTS)
    await addDecisions(
      msp,
      numbers.map((n) => ({
        id: `dsp_${String(n).padStart(4, '0')}`,
        status: at(STATUSES, n),
        agent_id: at([1, 2, 3, null], n >> 1),
        execution_id: at(['exe_1', 'exe_2', null], n >> 1),
        chosen_technician_id: at([7, null, 8], n >> 2),
        ticket_id: at(['4711', '4712', '4713'], n >> 2),
        ticket_number: at(['T-4711', null, 'T-4713'], n >> 2),
        created_at: instant(n),
      })),
    )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.dispatchDecision.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.dispatchDecision.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id',
  orders: { '': newestFirst(({ id }) => id) },
  isSeenBy: ({ agent_id }) => agent_id !== 2,
  filters: {
    status: isEqual('status', ['NONE_FITS', ['APPLIED', 'EXPIRED']]),
    technician_id: isEqual('chosen_technician_id', [7, 8, 999]),
    ticket_id: isEqual('ticket_id', ['4711', 'unknown']),
    entity_number: isEqual('ticket_number', ['T-4711', 'unknown']),
    agent_id: isEqual('agent_id', [1, 2, 3, 999]),
    execution_id: isEqual('execution_id', ['exe_1', 'unknown']),
    from: {
      values: [instant(4).toISOString(), instant(15).toISOString()],
      meets: (row, value: string) => row.created_at >= new Date(value),
    },
    to: {
      values: [instant(9).toISOString(), instant(18).toISOString()],
      meets: (row, value: string) => row.created_at < new Date(value),
    },
  },
  indexed: ['status', 'technician_id', 'ticket_id', 'entity_number', 'agent_id', 'execution_id', 'from'],
  grows: {
    technician_id: [7, 8, 999],
    ticket_id: ['7', '-'],
    entity_number: ['T-7', '-'],
    agent_id: [1, 21, 301, 302, 999],
    execution_id: ['exe_0000007', '-'],
  },
}

const readers = { scope: 'dispatch:read' }

export const DECISIONS = {
  who_may: {
    dispatch_decisions: readers,
    dispatch_decision: readers,
    dispatch_summary: readers,
    preview_dispatch: readers,
  },
  reads: {
    dispatch_decisions: { page_size },
    dispatch_decision: { decision_id: from('dispatch_decisions', 'id') },
    dispatch_summary: {},
  },
  writes: { preview_dispatch: { input: { ticket_id: from('dispatch_decisions', 'ticket_id') } } },
  lists: { dispatch_decisions },
  skewed_rows: {
    dispatch_decision: {
      id: `'dsp_' || lpad(n::text, 7, '0')`,
      ticket_id: `(n % 50000)::text`,
      ticket_number: `'T-' || n % 50000`,
      // A ticket has one open suggestion at a time, and only the oldest rows have other statuses.
      status: ofEnum('dispatch_decision_status', 'APPLIED'),
      strategy: `'BEST_FIT'::dispatch_strategy`,
      is_automatic: 'false',
      candidates: `'[]'::jsonb`,
      suggested_technician_id: mostly('7', '8'),
      chosen_technician_id: mostly('7', '8'),
      explanation: `'Reasons'`,
      agent_id: agent,
      execution_id: `'exe_' || lpad(n::text, 7, '0')`,
      created_at: at_row,
      expires_at: at_row,
      updated_at: at_row,
    },
  },
  async own_rows(msp, { id, mark, number, of }) {
    const { agent_id, execution_id } = { ...(await of('agents')), ...(await of('executions')) }
    const decision_id = `dsp_${id}`
    const texts = { ticket_id: mark, ticket_number: mark, explanation: mark, overridden_by_name: mark }
    await addDecisions(msp, [
      {
        id: decision_id,
        agent_id: Number(agent_id),
        execution_id: String(execution_id),
        candidates: [{ ...CANDIDATE, name: mark, reasons: [mark] }],
        suggested_technician_id: number,
        comment: mark,
        ...texts,
      },
    ])
    return { decision_id }
  },
  shown_by: { dispatch_summary: 'number' },
  events: {
    async 'dispatch.suggested'({ msp }) {
      await open(msp)
      await arrive(msp)
    },
    async 'dispatch.none_fits'({ msp }) {
      await open(msp, {}, [])
      await arrive(msp)
    },
  },
  channel_writes: { preview_dispatch: 'runs at once' },
  unrecorded: ['preview_dispatch'],
} as const satisfies Partial<AreaSuites> & AreaSuites['examples']
