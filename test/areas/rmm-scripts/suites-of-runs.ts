/** Cases of what reads runs of scripts, for the suites of all operations. */
import type { RmmScriptRun } from '../../../src/db/generated/client/client.ts'
import { addRuns, addScript } from '../../setup/rmm-scripts.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'
import { addSharedAgents, addWholes, WHOLES, wholeOf } from '../../setup/suites/parents.ts'
import { at, instant, isEqual, type ListSampler, newestFirst } from '../../setup/suites/sampler.ts'
import { agent, at_row, mostly, ofEnum } from '../../setup/suites/skewed.ts'
import type { Msp } from '../../setup/world.ts'

const STATUSES = ['SUCCEEDED', 'FAILED', 'RUNNING', 'PENDING_APPROVAL', 'TIMED_OUT', 'CANCELLED'] as const

const runId = (n: number): string => `rsr_${String(n).padStart(4, '0')}`

/** The scripts of the runs, unless they are there. */
async function addScripts(msp: Msp): Promise<void> {
  const known = await msp.database.prisma.rmmScript.count({ where: { tenant_id: msp.tenant_id } })
  if (known > 0) return
  for (const id of ['scr_1', 'scr_2']) await addScript(msp, { id })
}

const shared = {
  rows: ({ database: { prisma }, tenant_id }: Msp) => prisma.rmmScriptRun.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }: Msp, id: string) {
    await prisma.rmmScriptRun.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id' as const,
  orders: { '': newestFirst(({ id }: RmmScriptRun) => id) },
}

const rmm_script_runs: ListSampler<RmmScriptRun> = {
  ...shared,
  async add(msp, numbers) {
    await addSharedAgents(msp, [1, 2, 3])
    await addScripts(msp)
    await addRuns(
      msp,
      numbers.map((n) => ({
        id: runId(n),
        script_id: at(['scr_1', 'scr_2'], n >> 1),
        device_id: at(['dev_1', 'dev_2', 'dev_3'], n >> 1),
        psa_company_id: at(['alder', null, 'birch'], n >> 2),
        status: at(STATUSES, n),
        agent_id: at([1, 2, 3, null], n >> 1),
        execution_id: at(['exe_1', 'exe_2', null], n >> 1),
        entity_id: at(['4711', '4712', null], n >> 2),
        created_at: instant(n),
      })),
    )
  },
  isSeenBy: ({ agent_id }) => agent_id !== 2,
  filters: {
    status: isEqual('status', ['RUNNING', ['SUCCEEDED', 'TIMED_OUT']]),
    script_id: isEqual('script_id', ['scr_2', 'unknown']),
    device_id: isEqual('device_id', ['dev_2', 'unknown']),
    execution_id: isEqual('execution_id', ['exe_1', 'unknown']),
    agent_id: isEqual('agent_id', [1, 2, 3, 999]),
    entity_id: isEqual('entity_id', ['4711', 'unknown']),
    psa_company_id: isEqual('psa_company_id', ['alder', 'unknown']),
    from: {
      values: [instant(4).toISOString(), instant(15).toISOString()],
      meets: (row, value: string) => row.created_at >= new Date(value),
    },
    to: {
      values: [instant(9).toISOString(), instant(18).toISOString()],
      meets: (row, value: string) => row.created_at < new Date(value),
    },
  },
  indexed: [
    'status',
    'script_id',
    'device_id',
    'execution_id',
    'agent_id',
    'entity_id',
    'psa_company_id',
    'from',
  ],
  grows: {
    script_id: ['scr_few_1', 'scr_few_2', '-'],
    device_id: ['dev_1', 'dev_2', '-'],
    execution_id: ['exe_0000007', '-'],
    agent_id: [1, 21, 301, 302, 999],
    entity_id: ['7', '-'],
    psa_company_id: ['psa_1', 'psa_2', '-'],
  },
}

const execution_rmm_script_runs: ListSampler<RmmScriptRun> = {
  ...shared,
  required: { execution_id: 'exe_1' },
  async add(msp, numbers) {
    await addWholes(msp)
    await addScripts(msp)
    await addRuns(
      msp,
      numbers.map((n) => ({
        id: runId(n),
        agent_id: 1,
        execution_id: wholeOf(n),
        created_at: instant(n),
      })),
    )
  },
  filters: { execution_id: isEqual('execution_id', ['exe_1', 'exe_2']) },
  steady: 'its rows are of one execution',
}

const readers = { scope: 'rmm_scripts:read' }

export const RUNS = {
  who_may: {
    rmm_script_runs: readers,
    rmm_script_run: readers,
    execution_rmm_script_runs: readers,
  },
  reads: {
    rmm_script_runs: { page_size },
    rmm_script_run: { run_id: from('rmm_script_runs', 'id') },
    execution_rmm_script_runs: { execution_id: from('executions', 'execution_id'), page_size },
  },
  lists: { rmm_script_runs, execution_rmm_script_runs },
  nested_lists: {
    'Execution.rmm_script_runs': {
      list: 'execution_rmm_script_runs',
      parent: 'execution_id',
      parents: WHOLES,
    },
  },
  skewed_rows: {
    rmm_script_run: {
      id: `'rsr_' || lpad(n::text, 7, '0')`,
      script_id: mostly(`'scr_few_1'`, `'scr_few_2'`),
      script_name: `'A script'`,
      body_sha256: `'a'`,
      device_id: mostly(`'dev_1'`, `'dev_2'`),
      psa_company_id: mostly(`'psa_1'`, `'psa_2'`),
      status: ofEnum('rmm_script_run_status', 'SUCCEEDED'),
      timeout_seconds: '90',
      agent_id: agent,
      execution_id: `'exe_' || lpad(n::text, 7, '0')`,
      entity_id: `(n % 50000)::text`,
      requested_by_name: `'Agent'`,
      created_at: at_row,
      updated_at: at_row,
    },
  },
  async own_rows(msp, { id, mark, of }) {
    const { agent_id, execution_id } = { ...(await of('agents')), ...(await of('executions')) }
    const script_id = `scr_run_${id}`
    const run_id = `rsr_${id}`
    await addScript(msp, { id: script_id, name: mark })
    await addRuns(msp, [
      {
        id: run_id,
        script_id,
        script_name: mark,
        device_id: mark,
        device_name: mark,
        psa_company_id: mark,
        parameters: { name: mark },
        stdout: mark,
        stderr: mark,
        agent_id: Number(agent_id),
        agent_name: mark,
        execution_id: String(execution_id),
        entity_id: mark,
        entity_number: mark,
        requested_by_name: mark,
      },
    ])
    return { run_id }
  },
} as const satisfies Partial<AreaSuites> & AreaSuites['examples']
