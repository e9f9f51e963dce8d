import type { Execution, ExecutionRun, TimelineEvent } from '../../../src/db/generated/client/client.ts'
import { addExecutions } from '../../setup/agents.ts'
import { clock } from '../../setup/app.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'
import { addSharedAgents, addWholes, WHOLES, wholeOf } from '../../setup/suites/parents.ts'
import {
  after,
  at,
  instant,
  isEqual,
  isIn,
  type ListSampler,
  newestFirst,
} from '../../setup/suites/sampler.ts'
import { agent, at_row, ended, mostly, ofEnum } from '../../setup/suites/skewed.ts'
import { addEvents, addRuns } from '../../setup/til-requests.ts'
import { EXECUTION_SCENES } from './scenes.ts'

const execution_id = from('executions', 'execution_id')

const AGENTS = [1, 2, 3, 4]

const since = (field: 'created_at' | 'updated_at') => ({
  values: [instant(4), instant(15), after(6, 3)].map((value) => value.toISOString()),
  meets: (row: Execution, value: string) => row[field] >= new Date(value),
})

const executions: ListSampler<Execution> = {
  async add(msp, numbers) {
    await addSharedAgents(msp, AGENTS)
    await addExecutions(
      msp,
      numbers.map((n) => ({
        execution_id: `exe_${String(n).padStart(3, '0')}`,
        agent_id: at(AGENTS, n),
        status: at(['COMPLETED', 'FAILED', 'SKIPPED', 'TIMED_OUT', 'COMPLETED'] as const, n),
        resolution: at(['FULL', 'NONE', 'PARTIAL'] as const, n),
        trigger: at(['TRIGGERED', 'RETRY'] as const, n >> 2),
        supervised: n % 3 === 0,
        entity_id: at(['4711', '4712', null], n >> 1),
        entity_number: at(['T-4711', 'Ä_12', null], n >> 1),
        message_for_dashboard: at([null, 'Done 100%', 'Mailbox'], n),
        created_at: instant(n),
        updated_at: n === 6 ? after(n, 5) : instant(n * 2),
      })),
    )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.execution.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, execution_id) {
    await prisma.execution.deleteMany({ where: { tenant_id, execution_id } })
  },
  id: 'execution_id',
  orders: { '': newestFirst(({ execution_id }) => execution_id) },
  isSeenBy: ({ agent_id }) => agent_id === 1 || agent_id === 3,
  filters: {
    agent_id: isEqual('agent_id', [1, 2, 999]),
    status: isEqual('status', ['FAILED', ['COMPLETED', 'SKIPPED', 'SKIPPED']]),
    entity_id: isEqual('entity_id', ['4711', 'unknown']),
    supervised: isEqual('supervised', [true, false]),
    resolution: isEqual('resolution', ['FULL', 'NONE']),
    trigger: isEqual('trigger', ['RETRY', 'RUN_NOW']),
    from: since('created_at'),
    to: {
      values: [instant(18).toISOString()],
      meets: (row, value: string) => row.created_at < new Date(value),
    },
    updated_since: since('updated_at'),
    search: isIn(
      (row) => [row.entity_number, row.entity_id, row.message_for_dashboard],
      ['t-47', '712', 'ä_', '%', 'MAIL'],
    ),
  },
  indexed: ['from', 'to', 'agent_id', 'status', 'entity_id'],
  grows: { agent_id: [1, 200, 301, 9999], entity_id: ['7', '-'] },
}

const OF = 'exe_1'

const text = (n: number): string => String(n).padStart(3, '0')

const execution_runs: ListSampler<ExecutionRun> = {
  required: { execution_id: OF },
  async add(msp, numbers) {
    await addWholes(msp)
    await addRuns(
      msp,
      numbers.map((n) => ({
        execution_id: wholeOf(n),
        sequence: 100 - n,
        temporal_run_id: `run_${text(n)}`,
        started_at: instant(n),
      })),
    )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.executionRun.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, temporal_run_id) {
    await prisma.executionRun.deleteMany({ where: { tenant_id, temporal_run_id } })
  },
  id: 'temporal_run_id',
  orders: { '': [{ value: ({ sequence }) => sequence }] },
  filters: { execution_id: isEqual('execution_id', [OF, 'exe_2']) },
  steady: 'its rows are of one execution',
}

const execution_timeline: ListSampler<TimelineEvent> = {
  required: { execution_id: OF },
  async add(msp, numbers) {
    await addWholes(msp)
    await addEvents(
      msp,
      numbers.map((n) => ({
        execution_id: wholeOf(n),
        sequence: 100 - n,
        id: `evt_${text(n)}`,
        at: instant(n),
      })),
    )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.timelineEvent.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.timelineEvent.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id',
  orders: { '': [{ value: ({ sequence }) => sequence }] },
  filters: { execution_id: isEqual('execution_id', [OF, 'exe_2']) },
  steady: 'its rows are of one execution',
}

export const SUITES: AreaSuites = {
  who_may: {
    cancel_execution: { scope: 'executions:write' },
    retry_execution: { scope: 'agents:run' },
    executions: { scope: 'executions:read' },
    execution: { scope: 'executions:read' },
    execution_runs: { scope: 'executions:read' },
    execution_timeline: { scope: 'executions:read' },
    execution_updates: { scope: 'executions:read' },
  },
  examples: {
    reads: {
      executions: { agent_id: 2, status: ['COMPLETED'], resolution: 'FULL', page_size },
      execution: { execution_id },
      execution_runs: { execution_id, page_size },
      execution_timeline: { execution_id, page_size },
    },
    writes: {
      cancel_execution: {
        execution_id: from('run_agent_now', 'execution_id'),
        input: { reason: 'The customer solved it.' },
      },
      retry_execution: { execution_id: from('cancel_execution', 'execution_id') },
    },
  },
  async own_rows(msp, { id, mark, number, of }) {
    const agent_id = Number((await of('agents')).agent_id)
    const execution_id = `exe_${id}`
    await addExecutions(msp, [
      {
        execution_id,
        agent_id,
        message_for_dashboard: mark,
        credits_consumed: number,
        created_at: clock.now(),
      },
    ])
    await addRuns(msp, [{ execution_id, sequence: 1, temporal_run_id: `run_${mark}` }])
    await addEvents(msp, [{ execution_id, sequence: 1, id: `evt_${id}`, text: mark }])
    return { execution_id }
  },
  events: EXECUTION_SCENES,
  change_followed: ({ database: { prisma }, tenant_id }) =>
    prisma.execution.updateMany({ where: { tenant_id }, data: { run_count: { increment: 1 } } }),
  lists: { executions, execution_runs, execution_timeline },
  nested_lists: {
    'Agent.executions': {
      list: 'executions',
      parent: 'agent_id',
      parents: [1, 2].map((id) => [id, `agent(agent_id: ${id})`]),
    },
    'Execution.runs': {
      list: 'execution_runs',
      parent: 'execution_id',
      parents: WHOLES,
    },
    'Execution.timeline': {
      list: 'execution_timeline',
      parent: 'execution_id',
      parents: WHOLES,
    },
  },
  skewed_rows: {
    execution: {
      execution_id: `'exe_' || lpad(n::text, 7, '0')`,
      agent_id: agent,
      trigger: ofEnum('execution_trigger', 'TRIGGERED'),
      status: mostly(
        `(case n % 3 when 0 then 'FAILED' else 'COMPLETED' end)::execution_status`,
        `(enum_range(null::execution_status))[1 + ? % 9]`,
        5,
      ),
      resolution: ofEnum('execution_resolution', 'FULL', 2),
      supervised: mostly('false', '? % 2 = 0', 3),
      entity_type: `'TICKET'::entity_type`,
      entity_id: `(n % 50000)::text`,
      entity_number: `'T-' || n % 50000`,
      created_at: at_row,
      updated_at: ended,
      finished_at: ended,
    },
  },
  channel_writes: {
    cancel_execution: 'runs at once',
    retry_execution: 'runs at once',
  },
  fetched_again: {
    retry_execution: ['executions'],
  },
  error_codes: {
    404: 'execution_not_found',
    409: 'execution_not_cancellable execution_not_retryable',
  },
  foreign_tables: {
    retention_progress: 'the job notes how far it has come in the table of the gateway for that',
    tenant: 'the job steps through the index of executions once for each tenant, suspended ones too',
    til_request: 'the list has the number of open requests; the requests import the executions',
  },
  single_rows: {
    'executions.run_of_call': 'it is read between two statements of the engine, which are SQL',
    'executions.has_work': 'it is read between two statements of the engine, which are SQL',
    'executions.work': 'bench/ measures what reads it',
  },
}
