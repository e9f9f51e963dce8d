/** Runs of scripts as callers read them. */
import { describe, expect, it } from 'vitest'
import { finishedEvent } from '../../../src/areas/rmm-scripts/runs/events.ts'
import { addAgents, addExecutions } from '../../setup/agents.ts'
import { describeApi, outcome } from '../../setup/api.ts'
import { addEvents } from '../../setup/events.ts'
import { graphql } from '../../setup/graphql.ts'
import { entitiesSeen, raised } from '../../setup/raised.ts'
import { addRuns, addScript } from '../../setup/rmm-scripts.ts'
import { countStatements, statementsOf } from '../../setup/statements.ts'
import { type Caller, days, type Msp, world } from '../../setup/world.ts'

/** Columns of a run that callers never read. */
const OF_SERVICE = ['secrets', 'mark', 'external_run_id', 'tool_call_id', 'agent_or_none']

const START = new Date('2026-08-01T08:00:00Z')
const later = (n: number) => new Date(START.getTime() + days(n))

/** A tenant with a run of each of two agents, of which the USER sees the first, and one of none. */
async function tenant(): Promise<Msp> {
  const msp = await world()
  await addAgents(msp, [{ id: 1, created_by_user_id: msp.user.id }, { id: 2 }])
  await addExecutions(
    msp,
    [1, 2].map((agent_id) => ({ execution_id: `exe_${agent_id}`, agent_id })),
  )
  await addScript(msp, { id: 'scr_1' })
  await addScript(msp, { id: 'scr_2' })
  await addRuns(msp, [
    { id: 'rsr_own', agent_id: 1, execution_id: 'exe_1', entity_id: '4711', created_at: later(1) },
    {
      id: 'rsr_other',
      agent_id: 2,
      execution_id: 'exe_2',
      script_id: 'scr_2',
      status: 'FAILED',
      error_code: 'device_offline',
      psa_company_id: 'alder',
      created_at: later(2),
    },
    { id: 'rsr_none', device_id: 'dev_2', status: 'RUNNING', created_at: later(3) },
  ])
  return msp
}

const idsOf = (data: readonly { id: string }[]): string[] => data.map(({ id }) => id)

describeApi('runs of scripts', (api) => {
  const listed = async (caller: Caller, args = {}) =>
    idsOf((await api.call(caller, 'rmm_script_runs', args)).data)
  const read = (caller: Caller, run_id: string) => api.call(caller, 'rmm_script_run', { run_id })

  it('are read with what they were given and gave, and what is of the service stays there', async () => {
    const msp = await tenant()
    await addRuns(msp, [
      {
        id: 'rsr_whole',
        parameters: { user: 'jane', days: 3, force: true, password: '[secret]' },
        secrets: 'v1.k1.encrypted',
        exit_code: 3,
        status: 'FAILED',
        stdout: 'a',
        stderr: 'b',
        stderr_truncated: true,
        til_request_id: 'til_1',
        mark: 'mark',
        external_run_id: 'external',
        agent_id: 1,
        tool_call_id: 'call_1',
      },
    ])
    const { data, etag } = await read(msp.key, 'rsr_whole')
    expect(data).toMatchObject({
      id: 'rsr_whole',
      script_id: 'scr_1',
      script_name: 'Script scr_1',
      body_sha256: 'a'.repeat(64),
      device_id: 'dev_1',
      device_name: 'DESK-1',
      psa_company_id: null,
      parameters: { user: 'jane', days: 3, force: true, password: '[secret]' },
      status: 'FAILED',
      exit_code: 3,
      stdout: 'a',
      stderr: 'b',
      stdout_truncated: false,
      stderr_truncated: true,
      error_code: null,
      timeout_seconds: 90,
      agent_id: 1,
      agent_name: 'Agent 1',
      execution_id: null,
      entity_id: null,
      entity_number: null,
      til_request_id: 'til_1',
      requested_by_name: 'Ada Admin',
      started_at: null,
      revision: 1,
    })
    for (const column of OF_SERVICE) expect(data).not.toHaveProperty(column)
    await msp.database.prisma.rmmScriptRun.updateMany({
      where: { tenant_id: msp.tenant_id, id: 'rsr_whole' },
      data: { stdout: null, updated_at: later(400) },
    })
    expect((await read(msp.key, 'rsr_whole')).etag).not.toBe(etag)
  })

  it('of an agent are seen as the agent is, and others by everybody', async () => {
    const msp = await tenant()
    expect(await listed(msp.admin)).toEqual(['rsr_none', 'rsr_other', 'rsr_own'])
    expect(await listed(msp.user)).toEqual(['rsr_none', 'rsr_own'])
    expect(await listed(msp.viewer)).toEqual(['rsr_none'])
    expect(await listed(msp.user, { agent_id: 2 })).toEqual([])
    for (const filter of [{ script_id: 'scr_2' }, { psa_company_id: 'alder' }, { execution_id: 'exe_2' }])
      expect(await listed(msp.user, filter)).toEqual([])
    expect(outcome(await read(msp.admin, 'rsr_other'))).toEqual([200, undefined])
    expect(outcome(await read(msp.user, 'rsr_own'))).toEqual([200, undefined])
    expect(outcome(await read(msp.viewer, 'rsr_none'))).toEqual([200, undefined])
    for (const id of ['rsr_other', 'rsr_nowhere'])
      expect(outcome(await read(msp.user, id))).toEqual([404, 'rmm_script_run_not_found'])
  })

  it('of another tenant are neither listed nor found', async () => {
    const [msp, other] = await Promise.all([tenant(), world()])
    expect(await listed(other.admin)).toEqual([])
    expect(await listed(other.admin, { script_id: 'scr_1' })).toEqual([])
    expect(outcome(await read(other.admin, 'rsr_none'))).toEqual([404, 'rmm_script_run_not_found'])
    const args = { execution_id: 'exe_1' }
    const of_execution = await api.call(other.admin, 'execution_rmm_script_runs', args)
    expect(outcome(of_execution)).toEqual([404, 'execution_not_found'])
    expect(outcome(await read(msp.admin, 'rsr_none'))).toEqual([200, undefined])
  })

  it.each([
    [{ status: ['RUNNING', 'FAILED'] }, ['rsr_none', 'rsr_other']],
    [{ script_id: 'scr_2' }, ['rsr_other']],
    [{ device_id: 'dev_2' }, ['rsr_none']],
    [{ execution_id: 'exe_1' }, ['rsr_own']],
    [{ agent_id: 2 }, ['rsr_other']],
    [{ entity_id: '4711' }, ['rsr_own']],
    [{ psa_company_id: 'alder' }, ['rsr_other']],
    [{ from: later(2).toISOString() }, ['rsr_none', 'rsr_other']],
    [{ to: later(2).toISOString() }, ['rsr_own']],
    [{ device_id: 'dev_1', status: ['SUCCEEDED'] }, ['rsr_own']],
    [{ script_id: 'scr_2', status: ['SUCCEEDED'] }, []],
  ])('are listed by %j', async (args, expected) => {
    const msp = await tenant()
    expect(await listed(msp.key, args)).toEqual(expected)
  })

  it('of an execution are listed for whoever sees the execution', async () => {
    const msp = await tenant()
    await addRuns(msp, [{ id: 'rsr_later', agent_id: 1, execution_id: 'exe_1', created_at: later(4) }])
    const of = (caller: Caller, execution_id: string) =>
      api.call(caller, 'execution_rmm_script_runs', { execution_id })
    expect(idsOf((await of(msp.user, 'exe_1')).data)).toEqual(['rsr_later', 'rsr_own'])
    expect(idsOf((await of(msp.admin, 'exe_2')).data)).toEqual(['rsr_other'])
    for (const id of ['exe_2', 'exe_nowhere'])
      expect(outcome(await of(msp.user, id))).toEqual([404, 'execution_not_found'])
  })

  it('are listed by as many statements as a single run', async () => {
    const [few, many] = await Promise.all([tenant(), tenant()])
    await addRuns(
      many,
      Array.from({ length: 20 }, (_, n) => ({ id: `rsr_${n}`, agent_id: 1, execution_id: 'exe_1' })),
    )
    const counts = (msp: Msp) => countStatements(msp.database, () => listed(msp.user))
    await counts(few)
    expect(await counts(many)).toBe(await counts(few))
  })
})

describe('fields of the graph', () => {
  const LIST = `{ rmm_script_runs { items { id execution { execution_id } agent { name } } } }`

  it('are the execution and the agent of a run, for whoever sees them', async () => {
    const msp = await tenant()
    const { data } = await graphql(msp.admin, LIST)
    expect(data.rmm_script_runs.items).toEqual([
      { id: 'rsr_none', execution: null, agent: null },
      { id: 'rsr_other', execution: { execution_id: 'exe_2' }, agent: { name: expect.any(String) } },
      { id: 'rsr_own', execution: { execution_id: 'exe_1' }, agent: { name: expect.any(String) } },
    ])
  })

  it('are the runs of an execution', async () => {
    const msp = await tenant()
    const runs = `{ execution(execution_id: "exe_1") { rmm_script_runs { items { id stdout } } } }`
    const { data } = await graphql(msp.user, runs)
    expect(data.execution.rmm_script_runs.items).toEqual([{ id: 'rsr_own', stdout: 'Done.' }])
  })

  it('cost as many statements for many runs as for a few', async () => {
    const [few, many] = await Promise.all([tenant(), tenant()])
    await addRuns(
      many,
      Array.from({ length: 20 }, (_, n) => ({
        id: `rsr_${n}`,
        agent_id: 1 + (n % 2),
        execution_id: `exe_${1 + (n % 2)}`,
      })),
    )
    const nested = `{ executions { items { execution_id rmm_script_runs { items { id agent { id } } } } } }`
    for (const document of [LIST, nested]) {
      const count = (msp: Msp) => countStatements(msp.database, () => graphql(msp.admin, document))
      await count(few)
      expect(await count(many)).toBe(await count(few))
    }
  })

  it('are read without what scripts wrote, unless it is asked for', async () => {
    const msp = await tenant()
    const sent = (fields: string) =>
      statementsOf(msp.database, () => graphql(msp.key, `{ rmm_script_runs { items { ${fields} } } }`))
    const reads = async (fields: string) => (await sent(fields)).some(({ text }) => text.includes('stdout'))
    expect([await reads('id status'), await reads('id stdout')]).toEqual([false, true])
  })
})

it('the end of a run is told to whoever sees the run', async () => {
  const msp = await tenant()
  const runs = await msp.database.prisma.rmmScriptRun.findMany({
    where: { tenant_id: msp.tenant_id },
    orderBy: { created_at: 'asc' },
  })
  await addEvents(msp, runs.map(finishedEvent))
  const type = 'rmm_script_run.finished'
  expect(await entitiesSeen(msp, type, msp.user)).toEqual(['rsr_own', 'rsr_none'])
  expect(await entitiesSeen(msp, type, msp.viewer)).toEqual(['rsr_none'])
  const [, other] = await raised(msp, type)
  expect(other).toMatchObject({
    entity_id: 'rsr_other',
    agent_id: 2,
    data: {
      run_id: 'rsr_other',
      script_id: 'scr_2',
      script_name: 'Script scr_2',
      device_id: 'dev_1',
      status: 'FAILED',
      exit_code: null,
      error_code: 'device_offline',
      agent_id: 2,
      execution_id: 'exe_2',
      entity_id: null,
    },
  })
})
